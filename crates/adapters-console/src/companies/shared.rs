//! What the pages of companies share.

/// The path of the list, below which each has its page.
pub(super) const PATH: &str = "/companies";
/// Clients to choose from, and to name.
pub(super) const CLIENTS: usize = 200;
