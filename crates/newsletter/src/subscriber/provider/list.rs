//! Pages of an account's list of subscribers.

use super::{Email, Found};

/// The provider's cursor to a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(pub String);

/// A subscriber on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The address.
    pub email: Email,
    /// The account's record.
    pub found: Found,
}

/// A page of an account's list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The subscribers on the page.
    pub people: Vec<Listed>,
    /// Entries that could not be read, such as an unknown status or an invalid address, described
    /// for an operator. They have no effect.
    pub odd: Vec<String>,
    /// The cursor to the next page; `None` on the last one.
    pub next: Option<Cursor>,
}
