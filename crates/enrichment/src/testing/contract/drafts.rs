//! Contract: drafts are reserved, stored and deleted.

use kernel::testing::{Checked, hours, minutes, noon, uuid};
use time::Duration;
use uuid::Uuid;

use super::{kept, key, reserve, reserve_until};
use crate::{
    DraftCache,
    Reservation::{Granted, Kept, Taken},
};

fn days(n: i64) -> Duration {
    Duration::days(n)
}

async fn keep<S: DraftCache>(store: &S, n: u8, draft: &str, after: Duration) -> Checked {
    store.keep(&key(n), draft, None, noon() + after).await?;
    Ok(())
}

async fn release<S: DraftCache>(store: &S, n: u8, holder: Uuid) -> Checked {
    store.release(&key(n), holder).await?;
    Ok(())
}

/// Forgets up to ten drafts whose last use was before noon plus `before`.
async fn forget<S: DraftCache>(store: &S, before: Duration) -> Checked<u64> {
    Ok(store.forget(noon() + before, 10).await?)
}

kernel::contract_cases!(
    drafts,
    impl DraftCache,
    async fn a_draft_is_got_by_one(store: &S) {
        assert_eq!(reserve(store, 1, uuid(1), hours(0)).await?, Granted);
        assert_eq!(reserve(store, 1, uuid(2), hours(0)).await?, Taken);
        assert_eq!(reserve(store, 2, uuid(2), hours(0)).await?, Granted);
        assert_eq!(reserve(store, 2, uuid(1), hours(0)).await?, Taken);
    },
    async fn a_holder_renews_its_reservation(store: &S) {
        for after in [0, 30, 60] {
            let renewed = reserve(store, 1, uuid(1), minutes(after)).await?;
            assert_eq!(renewed, Granted, "{after}");
        }
        assert_eq!(reserve(store, 1, uuid(2), minutes(119)).await?, Taken);
        let (end, now) = (noon() + minutes(70), noon() + minutes(61));
        assert_eq!(reserve_until(store, 1, uuid(1), end, now).await?, Granted);
        assert_eq!(reserve(store, 1, uuid(2), minutes(70)).await?, Granted);
    },
    async fn a_reservation_ends(store: &S) {
        let instant = Duration::MICROSECOND;
        assert_eq!(reserve(store, 1, uuid(1), hours(0)).await?, Granted);
        assert_eq!(reserve(store, 1, uuid(2), hours(1) - instant).await?, Taken);
        assert_eq!(reserve(store, 1, uuid(2), hours(1)).await?, Granted);
        let lost = reserve(store, 1, uuid(1), hours(1)).await?;
        assert_eq!(lost, Taken, "it was lost");
        assert_eq!(reserve(store, 1, uuid(2), hours(3)).await?, Granted);
    },
    async fn a_released_reservation_is_free(store: &S) {
        for n in [1, 2] {
            assert_eq!(reserve(store, n, uuid(1), hours(0)).await?, Granted);
        }
        release(store, 1, uuid(2)).await?;
        assert_eq!(reserve(store, 1, uuid(2), hours(0)).await?, Taken);
        release(store, 1, uuid(1)).await?;
        assert_eq!(reserve(store, 1, uuid(2), hours(0)).await?, Granted);
        assert_eq!(reserve(store, 2, uuid(2), hours(0)).await?, Taken);
        release(store, 1, uuid(1)).await?;
        assert_eq!(reserve(store, 1, uuid(1), hours(0)).await?, Taken);
        release(store, 3, uuid(1)).await?;
    },
    async fn a_kept_draft_is_found_by_every_holder(store: &S) {
        assert_eq!(reserve(store, 1, uuid(1), hours(0)).await?, Granted);
        keep(store, 1, "a draft", hours(0)).await?;
        release(store, 1, uuid(1)).await?;
        for holder in [1, 2, 1, 3] {
            for after in [hours(0), hours(2), days(400)] {
                let found = reserve(store, 1, uuid(holder), after).await?;
                assert_eq!(found, kept("a draft"), "{holder} after {after}");
            }
        }
        assert_eq!(reserve(store, 2, uuid(1), hours(0)).await?, Granted);
    },
    /// A draft was paid for, so it is stored after the reservation's end, during another holder's
    /// reservation, without a reservation, and repeatedly.
    async fn a_draft_is_stored_without_a_reservation(store: &S) {
        assert_eq!(reserve(store, 1, uuid(1), hours(0)).await?, Granted);
        assert_eq!(reserve(store, 1, uuid(2), hours(1)).await?, Granted);
        keep(store, 1, "late", hours(1)).await?;
        assert_eq!(reserve(store, 1, uuid(2), hours(1)).await?, kept("late"));
        keep(store, 1, "later", hours(1)).await?;
        assert_eq!(reserve(store, 1, uuid(3), hours(1)).await?, kept("later"));

        keep(store, 2, "unasked", hours(0)).await?;
        assert_eq!(reserve(store, 2, uuid(1), hours(0)).await?, kept("unasked"));
        keep(store, 2, "", hours(0)).await?;
        assert_eq!(reserve(store, 2, uuid(1), hours(0)).await?, kept(""));
    },
    async fn drafts_come_back_exactly(store: &S) {
        let every: String = ('\u{1}'..=char::MAX).collect();
        // The draft has 200 KB without short repetitions.
        let large: String = (0..21_000_u32)
            .flat_map(|n| n.wrapping_mul(2_654_435_761).to_string().into_bytes())
            .map(char::from)
            .collect();
        let monotonous = "ü".repeat(100_000);
        for (n, draft) in (1..).zip([every, large, monotonous]) {
            keep(store, n, &draft, hours(0)).await?;
            let found = reserve(store, n, uuid(1), hours(0)).await?;
            assert!(found == Kept(draft), "{n}");
        }
    },
    async fn long_unused_drafts_are_forgotten(store: &S) {
        assert_eq!(forget(store, days(1)).await?, 0, "there is nothing");
        keep(store, 1, "old", days(0)).await?;
        keep(store, 2, "older", days(0)).await?;
        keep(store, 2, "new", days(10)).await?;
        assert_eq!(forget(store, days(0)).await?, 0);
        assert_eq!(forget(store, days(10)).await?, 1);
        assert_eq!(forget(store, days(10)).await?, 0, "it was forgotten");
        assert_eq!(reserve(store, 1, uuid(1), days(10)).await?, Granted);
        assert_eq!(reserve(store, 2, uuid(1), days(10)).await?, kept("new"));
    },
    async fn the_longest_unused_are_forgotten_first(store: &S) {
        for n in [3, 1, 5, 2, 4] {
            keep(store, n, "a draft", days(n.into())).await?;
        }
        for (limit, forgotten) in [(0, 0), (2, 2), (1, 1)] {
            let outcome = store.forget(noon() + days(5), limit).await;
            assert_eq!(outcome, Ok(forgotten), "{limit}");
        }
        for n in 1..=3 {
            assert_eq!(reserve(store, n, uuid(1), days(5)).await?, Granted, "{n}");
        }
        assert_eq!(reserve(store, 4, uuid(1), days(4)).await?, kept("a draft"));
        let outcome = store.forget(noon() + days(5), usize::MAX).await;
        assert_eq!(outcome, Ok(1), "one was left");
        assert_eq!(reserve(store, 5, uuid(1), days(5)).await?, kept("a draft"));
    },
    /// A clock that is behind does not make the draft older.
    async fn a_draft_that_is_found_is_remembered(store: &S) {
        for n in [1, 2] {
            keep(store, n, "a draft", days(0)).await?;
        }
        for after in [89, 0, 178, 90] {
            let found = reserve(store, 1, uuid(1), days(after)).await?;
            assert_eq!(found, kept("a draft"), "{after}");
        }
        assert_eq!(forget(store, days(178)).await?, 1);
        assert_eq!(
            reserve(store, 1, uuid(1), days(178)).await?,
            kept("a draft")
        );
        assert_eq!(reserve(store, 2, uuid(1), days(178)).await?, Granted);
    },
    async fn a_reservation_is_forgotten_when_it_has_ended(store: &S) {
        assert_eq!(reserve(store, 1, uuid(1), days(0)).await?, Granted);
        let (end, now) = (noon() + days(10), noon() + minutes(59));
        assert_eq!(reserve_until(store, 1, uuid(1), end, now).await?, Granted);
        assert_eq!(forget(store, days(9)).await?, 0);
        assert_eq!(forget(store, days(10)).await?, 0);
        assert_eq!(reserve(store, 1, uuid(2), days(9)).await?, Taken);
        assert_eq!(forget(store, days(11)).await?, 1);
        assert_eq!(forget(store, days(11)).await?, 0);
        assert_eq!(reserve(store, 1, uuid(2), days(9)).await?, Granted);
    },
);
