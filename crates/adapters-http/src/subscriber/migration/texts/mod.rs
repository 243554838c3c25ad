//! What the pages say, in every language that they speak.

mod da;
mod de;
mod en;
mod es;
mod fr;
mod it;
mod nb;
mod nl;
mod pl;
mod pt;
mod sv;

use super::language::Language;

/// The texts of one language.
pub struct Texts {
    /// The page that the link in an e-mail leads to.
    pub confirm: Passage,
    /// The button that confirms.
    pub confirm_button: &'static str,
    /// The button that unsubscribes instead.
    pub unsubscribe_button: &'static str,
    /// The page after confirming. It has no address to tell by how far the move is.
    pub confirmed: Passage,
    /// The page after unsubscribing.
    pub unsubscribed: Passage,
    /// The page for a person who gets no mail.
    pub not_subscribed: Passage,
    /// The page for a link that leads nowhere.
    pub unknown: Passage,
    /// The page for a failure of the service that changed nothing.
    pub failed: Passage,
    /// The page for a failure of the service that may have changed something.
    pub in_doubt: Passage,
    /// The button that sends the same again.
    pub retry_button: &'static str,
}

/// What one page says.
pub struct Passage {
    /// Its heading, and its title.
    pub heading: &'static str,
    /// What it is about.
    pub text: &'static str,
    /// What to know besides.
    pub note: &'static str,
}

impl Language {
    /// The texts in this language.
    pub const fn texts(self) -> &'static Texts {
        match self {
            Self::English => &en::TEXTS,
            Self::German => &de::TEXTS,
            Self::French => &fr::TEXTS,
            Self::Spanish => &es::TEXTS,
            Self::Dutch => &nl::TEXTS,
            Self::Danish => &da::TEXTS,
            Self::Swedish => &sv::TEXTS,
            Self::Norwegian => &nb::TEXTS,
            Self::Italian => &it::TEXTS,
            Self::Polish => &pl::TEXTS,
            Self::Portuguese => &pt::TEXTS,
        }
    }
}
