//! For tests: sample clients, and the contract suite that every store of clients must pass.

pub mod contract;

use kernel::{
    ClientId, Prefixes,
    testing::{minutes, noon, uuid},
};

use crate::{Client, Scope, StoredSecret};

/// The `n`-th client.
pub fn client(n: u128) -> Client {
    Client {
        id: ClientId::new(uuid(n)),
        name: format!("Client {n}"),
        scopes: vec![Scope::JobPostingsWrite, Scope::JobPostingsRead],
        version: 1,
        prefixes: Prefixes::ALL,
        requests_per_minute: None,
        secrets: vec![StoredSecret::new([7; 32], noon())],
        tokens_from: None,
        created_at: noon() + minutes(i64::try_from(n).unwrap_or_default()),
        revoked_at: None,
    }
}

/// Generates the contract suite for one store, as [`kernel::contract_cases!`] does for an area.
#[macro_export]
macro_rules! contract_suite {
    ($block_on:path, $fixture:expr) => {
        kernel::contract_cases! { $block_on, $fixture; access; clients {
            a_client_comes_back
            clients_are_listed_oldest_first
            a_change_of_a_client_is_written_once
            a_replaced_secret_ends_and_the_one_before_goes
            a_command_about_a_client_is_in_the_audit
            activity_is_added_up
            a_change_keeps_the_last_use_of_a_secret
            activity_has_a_largest_size
        } }
    };
}
