//! Authority: who may change what is shown.
//!
//! A client writes the postings that its prefixes permit
//! ([`Prefixes`](kernel::Prefixes)). What an operator took down, only an operator brings back.
//! Decisions ask here, whether they are a client's, an operator's, a catalogue's or those of a
//! lifetime's end. The rules about companies are in [`decision::company`](crate::decision::company).

pub use crate::posting::Principal;
use crate::posting::{Posting, PutPosting, Rejection, Trigger};

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
