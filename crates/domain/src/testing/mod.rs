//! For tests: a store in memory, sample values, and the contract suite that every store must pass.
//!
//! A store's tests invoke [`contract_suite!`](crate::contract_suite) once, and get one named
//! test for each case.

pub mod contract;
mod memory;
mod sample;

use access::{ActivityLog, Clients, sign_in::Passes};
use kernel::{audit::AuditLog, event::EventLog, outbox::Outbox};

pub use self::{
    contract::events::commit_events,
    memory::MemoryStore,
    sample::{
        answered, company, company_state, company_view, company_write, create, posting, push,
        push_as, push_by, pusher, put_id, renaming,
    },
};
use crate::{
    browse::PostingBrowser,
    catalogue::Catalogues,
    company::CompanyReader,
    store::{Health, PostingReader, Retention, Store},
};

/// Everything that a store implements.
pub trait AllPorts:
    Store
    + PostingReader
    + Health
    + EventLog
    + Outbox
    + Clients
    + ActivityLog
    + AuditLog
    + Catalogues
    + Passes
    + PostingBrowser
    + Retention
    + CompanyReader
{
}

impl<T> AllPorts for T where
    T: Store
        + PostingReader
        + Health
        + EventLog
        + Outbox
        + Clients
        + ActivityLog
        + AuditLog
        + Catalogues
        + Passes
        + PostingBrowser
        + Retention
        + CompanyReader
{
}

/// Generates the contract suite for one store.
///
/// `$block_on` is a function that runs a future to its end; `$fixture` is an expression for a
/// future of `(guard, store)`, where the guard keeps alive whatever the empty store needs.
///
/// A store that implements some of the ports names the areas whose cases it is to pass:
///
/// | area | needs |
/// |---|---|
/// | `companies` | [`Store`] |
/// | `postings`, `reading`, `duplicates` | [`Store`], [`PostingReader`] |
/// | `health` | [`Health`] |
/// | `commits`, `outbox` | [`Store`], [`Outbox`] |
/// | `events` | [`Store`], [`EventLog`] |
/// | `audit` | [`Store`], [`Outbox`], [`AuditLog`] |
/// | `catalogues` | [`Store`], [`EventLog`], [`Clients`], [`Catalogues`] |
/// | `console` | [`Store`], [`AuditLog`], [`Passes`], [`PostingBrowser`], [`CompanyReader`] |
/// | `retention` | [`Store`], [`PostingReader`], [`Outbox`], [`AuditLog`], [`Retention`] |
#[macro_export]
macro_rules! contract_suite {
    ($block_on:path, $fixture:expr) => {
        $crate::contract_suite! {
            $block_on, $fixture;
            postings companies duplicates reading health commits events outbox audit
            catalogues console retention
        }
    };
    ($block_on:path, $fixture:expr; $($area:ident)+) => {
        $($crate::contract_suite! { @$area $block_on, $fixture })+
    };
    (@postings $block_on:path, $fixture:expr) => {
        $crate::contract_suite! { @cases $block_on, $fixture; postings {
            loads_what_was_committed
            loads_only_what_is_named
            loads_by_id
            descriptions_are_read_where_they_are_needed
            loads_large_batches
            a_new_posting_of_a_taken_identifier_conflicts
            a_write_on_another_version_conflicts
            identifiers_compare_byte_for_byte
            every_field_comes_back
            unset_fields_come_back_unset
            overdue_postings_are_found_in_order
            the_newest_enrichment_stands
        } }
    };
    (@companies $block_on:path, $fixture:expr) => {
        $crate::contract_suite! { @cases $block_on, $fixture; companies {
            an_upsert_makes_a_company
            a_commit_holds_only_on_the_companies_that_it_assumes
            an_upsert_sets_only_what_it_says
            many_companies_in_one_commit
            a_write_that_requires_an_owner_conflicts_with_another
            an_owner_is_set_only_when_that_is_said
            a_company_keeps_the_names_that_it_had
            a_company_keeps_the_names_of_one_commit
            a_company_keeps_the_name_of_a_commit_that_was_quicker
        } }
    };
    (@duplicates $block_on:path, $fixture:expr) => {
        $crate::contract_suite! { @cases $block_on, $fixture; duplicates {
            what_shares_a_band_is_found
            the_oldest_of_a_band_are_found
            a_fingerprint_is_replaced_or_taken_away
            a_mark_comes_back
            copies_are_found
            a_commit_may_rely_on_versions
        } }
    };
    (@reading $block_on:path, $fixture:expr) => {
        $crate::contract_suite! { @cases $block_on, $fixture; reading {
            an_unknown_posting_is_none
            history_is_in_order
            lists_ascend_and_page
            lists_by_id_page
            lists_have_the_texts_that_are_asked_for
            lists_end_at_their_size
            lists_filter
            lists_have_the_postings_of_a_client_and_of_prefixes
            a_posting_knows_its_first_and_last_writer
            a_long_history_is_cut
            reads_as_in_memory
        } }
    };
    (@health $block_on:path, $fixture:expr) => {
        $crate::contract_suite! { @cases $block_on, $fixture; health {
            is_ready
        } }
    };
    (@commits $block_on:path, $fixture:expr) => {
        $crate::contract_suite! { @cases $block_on, $fixture; commits {
            a_conflict_writes_nothing
        } }
    };
    (@events $block_on:path, $fixture:expr) => {
        $crate::contract_suite! { @cases $block_on, $fixture; events {
            events_of_other_prefixes_are_passed
            events_are_read_as_they_were_recorded
            a_reader_goes_on_where_it_was
            events_are_found_by_their_cursors
            a_reader_sees_the_names_that_it_asks_for
            a_push_is_recorded_with_its_commit
            a_conflict_records_nothing
            a_change_of_a_company_is_recorded_once
            old_events_are_deleted
            a_cursor_is_found_by_time
            a_cursor_without_an_event_is_refused
            a_consumer_keeps_its_cursor
            an_event_keeps_its_trace
        } }
    };
    (@outbox $block_on:path, $fixture:expr) => {
        $crate::contract_suite! { @cases $block_on, $fixture; outbox {
            an_effect_is_claimed_once
            asking_again_while_it_waits_is_one_task
            asking_again_while_it_is_leased_makes_it_due_once_more
            a_lease_that_lapsed_makes_a_suspect
            lost_claims_are_counted
            a_task_keeps_the_trace_that_asked_for_it_last
            any_report_clears_a_suspect
            what_is_given_back_is_no_failure
            a_renewed_lease_holds
            finishing_without_the_lease_conflicts
            a_failed_task_waits_and_counts
            a_task_given_up_is_dead_until_revived
            a_commit_gives_a_task_up
            a_commit_ends_a_task_in_whatever_state
            dead_tasks_are_dismissed_and_no_others
            asking_for_a_dead_effect_revives_it
            asking_again_wins_over_giving_up
            a_lost_lease_can_neither_retry_nor_give_up
            asking_for_another_account_moves_a_sync
            asking_for_another_account_while_it_is_leased_moves_it_afterwards
            asking_for_another_account_revives_a_dead_sync
            a_bulk_sync_moves_up_and_never_back
            queues_are_claimed_apart
            claims_are_limited_and_longest_due_first
            rows_are_listed
            rows_are_listed_by_pages
            the_tasks_of_a_subject_are_listed
            the_backlog_is_counted
            dead_tasks_are_found_by_their_effects
        } }
    };
    (@audit $block_on:path, $fixture:expr) => {
        $crate::contract_suite! { @cases $block_on, $fixture; audit {
            an_entry_is_written_with_its_commit
            a_run_that_ends_replaces_its_details
            entries_are_read_newest_first_by_pages
            an_entry_of_an_unknown_action_is_shown
            what_is_brought_back_is_recorded
        } }
    };
    (@catalogues $block_on:path, $fixture:expr) => {
        $crate::contract_suite! { @cases $block_on, $fixture; catalogues {
            a_lease_makes_the_catalogue
            a_catalogue_has_one_import_at_a_time
            a_lease_whose_time_is_over_is_taken
            a_lease_is_renewed_while_it_is_held
            a_lost_lease_neither_renews_nor_finishes
            a_commit_with_a_lost_lease_is_a_conflict
            the_last_import_comes_back
            open_postings_are_read_by_pages
            a_posting_moves_to_the_catalogue_that_lists_it
            a_deleted_catalogue_leaves_its_postings
            an_operator_who_deletes_a_catalogue_is_recorded
            catalogues_are_listed_by_name
            last_imports_are_listed
            a_client_has_a_limited_number_of_catalogues
        } }
    };
    (@console $block_on:path, $fixture:expr) => {
        $crate::contract_suite! { @cases $block_on, $fixture; console {
            a_pass_comes_back
            a_link_becomes_one_session
            a_session_ends_once
            passes_that_ended_are_forgotten
            postings_are_looked_through_newest_first
            postings_are_looked_through_by_identifier
            a_posting_in_short_comes_back
            companies_are_listed_by_website
        } }
    };
    (@retention $block_on:path, $fixture:expr) => {
        $crate::contract_suite! { @cases $block_on, $fixture; retention {
            texts_of_expired_postings_are_dropped
            a_decision_from_before_the_drop_is_a_conflict
            a_reopened_posting_gets_its_texts_again
            purged_postings_leave_nothing
            a_posting_that_changed_is_not_purged
            an_erased_posting_leaves_nothing_but_its_event
            what_was_under_way_does_not_bring_an_erased_posting_back
            a_posting_that_changed_is_not_erased
        } }
    };
    (@cases $block_on:path, $fixture:expr; $area:ident { $($case:ident)+ }) => {
        mod $area {
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
        }
    };
}

#[cfg(test)]
mod tests {
    use super::MemoryStore;

    crate::contract_suite!(pollster::block_on, async { ((), MemoryStore::new()) });
}
