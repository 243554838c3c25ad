//! For tests: a cache of drafts in memory, and the contract suite that every cache must pass.

pub mod contract;
mod memory;

pub use self::memory::MemoryDrafts;

/// Creates a test of each case of the contract suite for one cache of drafts, as
/// [`domain::contract_suite!`] does for a store of postings. The area `erasure` is for a cache that
/// also has the postings: a [`Store`](domain::store::Store) with
/// [`Retention`](domain::store::Retention).
#[macro_export]
macro_rules! contract_suite {
    ($block_on:path, $fixture:expr) => {
        $crate::contract_suite! { $block_on, $fixture; drafts erasure }
    };
    ($block_on:path, $fixture:expr; $($area:ident)+) => {
        $(mod $area {
            use super::*;
            $crate::$area! { $crate, $block_on, $fixture }
        })+
    };
}
