//! An account's whole list, page by page.

use super::{Email, Found};

/// Where the next page begins, in the provider's own writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(pub String);

/// A person on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The address.
    pub email: Email,
    /// How the account shows the person.
    pub found: Found,
}

/// One page of an account's list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The people on it.
    pub people: Vec<Listed>,
    /// What on it is not understood, each in words for an operator: an unknown status, an
    /// address that is none. Nothing is concluded from these.
    pub odd: Vec<String>,
    /// Where the next page begins; `None` on the last one.
    pub next: Option<Cursor>,
}
