//! Authority: who may change what is shown.
//!
//! A client writes the postings that its prefixes permit
//! ([`Prefixes`](kernel::Prefixes)). A company belongs to the client that made it, unless an
//! operator says otherwise, and a client with prefixes changes no other company. What an operator
//! took down, only an operator brings back. Decisions ask here, whether they are a client's, an
//! operator's, a catalogue's or those of a lifetime's end.

use kernel::ClientId;

pub use crate::posting::Principal;
use crate::{
    company::Company,
    posting::{Posting, PutPosting, Rejection, Trigger},
};

impl Principal {
    /// Whether the client may change the name and the logo of a company.
    pub fn may_change(self, company: &Company) -> bool {
        self.required_owner().is_none() || self.required_owner() == company.owner
    }

    /// The owner that a company must have when a change by this client is committed; `None` for
    /// any. Another commit may have made the company, or given it to another owner, meanwhile.
    pub fn required_owner(self) -> Option<ClientId> {
        self.is_fenced.then_some(self.client)
    }
}

/// Whether an operator took a posting down.
pub fn is_taken_down(posting: &Posting) -> bool {
    posting.moderated && !posting.status.is_open()
}

/// Checks that a push may change the status of a posting as it wants to. A catalogue lists what it
/// has without wanting anything of a posting that was taken down.
pub fn check_push(posting: &Posting, put: &PutPosting) -> Result<(), Rejection> {
    if put.expires() {
        Trigger::Expire.check(posting)
    } else if put.reopens() && put.catalogue.is_none() && is_taken_down(posting) {
        Err(Rejection::TakenDown)
    } else {
        Ok(())
    }
}
