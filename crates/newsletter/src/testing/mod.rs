//! For tests: provider and store in memory, sample values, and the contract suite. A store invokes
//! [`contract_suite!`](crate::contract_suite) once, next to [`domain::contract_suite!`].

#![expect(missing_docs, reason = "only tests use these")]

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

/// The ports that a store of subscribers implements.
pub trait AllPorts: Store + SubscriberReader + Accounts + Outbox + AuditLog {}

impl<T> AllPorts for T where T: Store + SubscriberReader + Accounts + Outbox + AuditLog {}

/// Creates a test of each case of the contract suite for one store, see
/// [`domain::contract_suite!`].
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
