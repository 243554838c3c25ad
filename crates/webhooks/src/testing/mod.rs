//! For tests: sample endpoints, their store in memory, and the contract suite that every store of
//! them must pass.

pub mod contract;
mod memory;

use kernel::{
    Prefixes,
    testing::{noon, uuid},
};

use crate::{Endpoint, EndpointId, EndpointState, EndpointUrl, Owner, Secret};

/// The `n`-th webhook endpoint, an operator's for all events.
///
/// # Panics
/// Never: its URL and its secret are as they should be.
#[expect(
    clippy::expect_used,
    reason = "these are tests, though not marked as such"
)]
pub fn endpoint(n: u8) -> Endpoint {
    let url = format!("https://receiver-{n}.example/hooks");
    Endpoint {
        id: EndpointId::new(uuid(n.into())),
        version: 1,
        owner: Owner::Operator,
        url: EndpointUrl::from_store(&url).expect("it is a URL"),
        names: None,
        prefixes: Prefixes::ALL,
        include_posting: false,
        description: None,
        state: EndpointState::Active,
        state_reason: None,
        secret: Secret::new([n; 32]).expect("it is long enough"),
        previous_secret: None,
        created_at: noon(),
        updated_at: noon(),
    }
}

/// Generates the contract suite for one store, as [`kernel::contract_cases!`] does for an area.
#[macro_export]
macro_rules! contract_suite {
    ($block_on:path, $fixture:expr) => {
        kernel::contract_cases! { $block_on, $fixture; webhooks; webhooks {
            an_endpoint_comes_back
            endpoints_are_listed_by_owner_and_by_pages
            an_owner_has_a_limited_number_of_endpoints
            a_change_needs_the_version
            starting_over_clears_the_record
            a_deleted_endpoint_is_gone_with_its_work
            an_endpoint_is_leased_by_one_holder
            an_endpoint_is_leased_when_there_is_something_to_do
            endpoints_take_turns
            a_lease_is_renewed_while_it_is_held
            a_lease_that_is_released_passes_events
            an_endpoint_rests_after_a_round
            a_round_is_recorded_as_a_whole
            a_round_without_the_lease_is_not_recorded
            a_round_that_was_moved_back_is_not_recorded
            a_round_of_another_version_is_not_recorded
            a_round_disables
            of_each_subject_the_oldest_event_is_due
            an_endpoint_that_answers_again_gets_what_was_not_answered
            the_newest_deliveries_are_kept
            a_replay_goes_back_and_never_forward
            the_backlog_is_counted
            what_operators_do_is_recorded
        } }
    };
}
