//! For tests: sample endpoints, a store in memory, and the contract suite for every store.

pub mod contract;
mod memory;

use kernel::{
    Prefixes,
    testing::{noon, uuid, valid},
};

use crate::{Endpoint, EndpointId, EndpointState, EndpointUrl, Owner, Secret};

/// The `n`-th endpoint. The operators own it, and it gets all events.
pub fn endpoint(n: u8) -> Endpoint {
    let url = format!("https://receiver-{n}.example/hooks");
    Endpoint {
        id: EndpointId::new(uuid(n.into())),
        version: 1,
        owner: Owner::Operator,
        url: valid(EndpointUrl::from_store(&url)),
        names: None,
        prefixes: Prefixes::ALL,
        include_posting: false,
        description: None,
        state: EndpointState::Active,
        state_reason: None,
        secret: valid(Secret::new([n; 32])),
        previous_secret: None,
        created_at: noon(),
        updated_at: noon(),
    }
}

/// Creates a test of each contract case for a store, like `domain::contract_suite!`.
#[macro_export]
macro_rules! contract_suite {
    ($block_on:path, $fixture:expr) => {
        mod endpoints {
            use super::*;
            $crate::endpoints! { $crate, $block_on, $fixture }
        }
    };
}
