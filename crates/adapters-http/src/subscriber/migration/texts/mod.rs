//! The texts of the pages, in every language.

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

/// English, also the fallback.
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
    /// The language tag (RFC 5646).
    pub tag: &'static str,
    /// The page that the link in an e-mail leads to.
    pub confirm: Passage,
    /// The button that confirms.
    pub confirm_button: &'static str,
    /// The button that unsubscribes instead.
    pub unsubscribe_button: &'static str,
    /// The page after confirming. Its address identifies nobody, so it cannot say how far the move
    /// is.
    pub confirmed: Passage,
    /// The page after unsubscribing.
    pub unsubscribed: Passage,
    /// The page for a person who is suppressed.
    pub not_subscribed: Passage,
    /// The page for an unknown token.
    pub unknown: Passage,
    /// The page for a failure of the service that changed nothing.
    pub failed: Passage,
    /// The page for a failure of the service that may have changed something.
    pub in_doubt: Passage,
    /// The button that sends the form again.
    pub retry_button: &'static str,
}

/// The texts of one page.
pub struct Passage {
    /// The heading, also the title.
    pub heading: &'static str,
    /// The main text.
    pub text: &'static str,
    /// A further note.
    pub note: &'static str,
}
