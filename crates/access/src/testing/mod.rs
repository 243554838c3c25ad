//! For tests: sample clients, and the contract suite that every store of clients must pass.

#![expect(missing_docs, reason = "only tests use these")]

pub mod contract;
mod memory;

use kernel::{
    ClientId, Prefixes,
    testing::{minutes, noon, uuid},
};

use crate::{Client, Scope, StoredSecret};

pub fn client(n: u128) -> Client {
    Client {
        id: ClientId::new(uuid(n)),
        name: format!("Client {n}"),
        scopes: vec![Scope::JobPostingsWrite, Scope::JobPostingsRead],
        version: 1,
        prefixes: Prefixes::ALL,
        requests_per_minute: None,
        expect_every: None,
        secrets: vec![StoredSecret::new([7; 32], noon())],
        tokens_from: None,
        created_at: noon() + minutes(i64::try_from(n).unwrap_or_default()),
        revoked_at: None,
    }
}

/// Tests a store by each case. `$block_on` runs a future, and `$fixture` is a future of
/// `(guard, store)`.
#[macro_export]
macro_rules! contract_suite {
    ($block_on:path, $fixture:expr) => {
        mod clients {
            use super::*;
            $crate::clients! { $crate, $block_on, $fixture }
        }
        mod sign_in {
            use super::*;
            $crate::sign_in! { $crate, $block_on, $fixture }
        }
    };
}
