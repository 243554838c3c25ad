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

/// English, which is also for those who accept none of the languages.
pub const ENGLISH: &Texts = &en::TEXTS;

/// Every language.
pub const ALL: [&Texts; 11] = [
    ENGLISH,
    &de::TEXTS,
    &fr::TEXTS,
    &es::TEXTS,
    &nl::TEXTS,
    &da::TEXTS,
    &sv::TEXTS,
    &nb::TEXTS,
    &it::TEXTS,
    &pl::TEXTS,
    &pt::TEXTS,
];

/// The texts of one language.
pub struct Texts {
    /// Its tag (RFC 5646).
    pub tag: &'static str,
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
