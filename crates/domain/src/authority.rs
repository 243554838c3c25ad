//! The client of a push, and whether prefixes limit it.
//!
//! Operators' decisions about a posting are part of its [`State`](crate::posting::State), whose
//! [table](crate::posting::Trigger) protects them. [`decision::company`](crate::decision::company)
//! has the rules about companies.

use kernel::{ClientId, Prefixes};

/// A client that pushes, and whether prefixes limit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The client.
    pub client: ClientId,
    /// Whether the client has prefixes, which limit it to a part of the board.
    pub is_fenced: bool,
}

impl Principal {
    /// A client with these prefixes.
    pub const fn new(client: ClientId, prefixes: &Prefixes) -> Self {
        Self {
            client,
            is_fenced: !prefixes.are_all(),
        }
    }

    /// A client without prefixes.
    pub const fn unfenced(client: ClientId) -> Self {
        Self {
            client,
            is_fenced: false,
        }
    }
}
