//! For tests: an e-mail provider in memory, a store in memory, sample values, and the contract
//! suite that every store of subscribers must pass.
//!
//! A store's tests invoke [`contract_suite!`](crate::contract_suite) once, beside
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

/// Generates the contract suite for one store of subscribers, as [`domain::contract_suite!`] does
/// for one of postings.
#[macro_export]
macro_rules! contract_suite {
    ($block_on:path, $fixture:expr) => {
        $crate::contract_suite! { @cases $block_on, $fixture;
            subscribers {
                a_subscriber_comes_back
                unset_fields_come_back_unset
                every_word_comes_back
                loads_only_who_is_named
                loads_large_batches
                the_holder_of_a_token_is_found
                a_new_subscriber_of_a_taken_address_conflicts
                a_write_on_another_version_conflicts
                a_conflict_writes_nothing
                a_suppression_survives_a_race
                lists_ascend_byte_for_byte_and_page
                lists_filter
                an_address_passes_to_another_row
                an_address_is_taken_once
                a_row_goes_with_its_tasks
                what_is_remembered_is_recalled
                reads_as_in_memory
            }
            accounts {
                a_leased_account_is_nobody_elses
                a_holder_renews_its_lease
                a_lease_ends
                accounts_are_leased_together_or_not_at_all
                a_released_account_is_free
                what_is_kept_of_an_account_outlasts_its_lease
            }
        }
    };
    (@cases $block_on:path, $fixture:expr; $($area:ident { $($case:ident)+ })+) => {
        $(mod $area {
            use super::*;
            $(
                #[test]
                fn $case() {
                    $block_on(async {
                        let (_guard, store) = $fixture.await;
                        $crate::testing::contract::$area::$case(&store).await;
                    });
                }
            )+
        })+
    };
}

#[cfg(test)]
mod tests {
    use super::MemoryStore;

    crate::contract_suite!(pollster::block_on, async { ((), MemoryStore::new()) });
}
