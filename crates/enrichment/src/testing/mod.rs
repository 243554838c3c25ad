//! For tests: a cache of drafts in memory, and the contract suite that every cache must pass.

pub mod contract;
mod memory;

pub use self::memory::MemoryDrafts;

/// Generates the contract suite for one cache of drafts, as [`domain::contract_suite!`] does for a
/// store of postings. The area `erasure` is for a cache that has the postings beside it: a
/// [`Store`](domain::store::Store) with [`Retention`](domain::store::Retention).
#[macro_export]
macro_rules! contract_suite {
    ($block_on:path, $fixture:expr) => {
        $crate::contract_suite! { $block_on, $fixture; drafts erasure }
    };
    ($block_on:path, $fixture:expr; $($area:ident)+) => {
        $($crate::contract_suite! { @$area $block_on, $fixture })+
    };
    (@drafts $block_on:path, $fixture:expr) => {
        $crate::contract_suite! { @cases $block_on, $fixture; drafts {
            a_draft_is_got_by_one
            a_holder_renews_its_reservation
            a_reservation_ends
            a_released_reservation_is_free
            a_kept_draft_is_found_by_everybody
            a_draft_counts_whoever_keeps_it
            drafts_come_back_exactly
            what_is_long_unused_is_forgotten
            the_longest_unused_are_forgotten_first
            a_draft_that_is_found_is_remembered
            a_reservation_is_forgotten_when_it_has_ended
        } }
    };
    (@erasure $block_on:path, $fixture:expr) => {
        $crate::contract_suite! { @cases $block_on, $fixture; erasure {
            an_erased_posting_leaves_no_draft
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
                        $crate::testing::contract::$case(&store).await;
                    });
                }
            )+
        }
    };
}

#[cfg(test)]
mod tests {
    use super::MemoryDrafts;

    crate::contract_suite!(pollster::block_on, async { ((), MemoryDrafts::default()) }; drafts);
}
