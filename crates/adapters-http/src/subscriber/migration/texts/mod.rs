//! The texts of the pages, in every language.

pub mod da;
pub mod de;
pub mod en;
pub mod es;
pub mod fr;
pub mod it;
pub mod nb;
pub mod nl;
pub mod pl;
pub mod pt;
pub mod sv;

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
