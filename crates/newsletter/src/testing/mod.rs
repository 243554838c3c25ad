//! For tests: an e-mail provider and a store in memory, sample values, and the contract suite that
//! every store of subscribers must pass.
//!
//! A store's tests invoke [`contract_suite!`](crate::contract_suite) once, next to
//! [`domain::contract_suite!`].

pub mod contract;
mod memory;
mod provider;
mod sample;

pub use kernel::testing::{by_ann, hours, minutes, noon, text, uuid};
use kernel::{audit::AuditLog, outbox::Outbox};

pub use self::{
    memory::MemoryStore,
    provider::{Call, Failing, MemoryProvider, Person},
    sample::{email, notice, report, subscriber, subscriber_id, token},
};
use crate::store::{Accounts, Store, SubscriberReader};

/// Everything that a store of subscribers implements, with the ports that it shares with postings.
pub trait AllPorts: Store + SubscriberReader + Accounts + Outbox + AuditLog {}

impl<T> AllPorts for T where T: Store + SubscriberReader + Accounts + Outbox + AuditLog {}

/// Creates a test of each case of the contract suite for one store of subscribers, as
/// [`domain::contract_suite!`] does for a store of postings.
#[macro_export]
macro_rules! contract_suite {
    ($block_on:path, $fixture:expr) => {
        $crate::contract_suite! { $block_on, $fixture; subscribers accounts }
    };
    ($block_on:path, $fixture:expr; $($area:ident)+) => {
        $(mod $area {
            use super::*;
            $crate::$area! { $crate, $block_on, $fixture }
        })+
    };
}
