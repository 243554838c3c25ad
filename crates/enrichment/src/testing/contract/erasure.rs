//! Contract: the drafts of an erased posting.

use domain::{
    posting::{Ground, Lifetime},
    report::Reports,
    store::{Retention, Store},
    testing::{create, put_id},
    usecase::{erase, ingest},
};
use kernel::{
    PostingId,
    testing::{by_ann, hours, identifier, noon, uuid},
};

use super::{kept, key, reserve};
use crate::{DraftCache, Reservation::Granted};

kernel::contract_cases!(
    erasure,
    impl DraftCache + Reports + Store + Retention,
    /// Covers stored drafts, reserved ones, and a draft that is stored later, because the model
    /// answers late. Drafts of other postings stay.
    async fn an_erased_posting_leaves_no_draft(store: &S) {
        let postings = [create("a", "acme"), create("b", "acme")];
        ingest(store, &postings, Lifetime::NEVER, noon()).await?;
        let keep =
            async |n: u8, of: Option<PostingId>| store.keep(&key(n), "a draft", of, noon()).await;
        keep(1, Some(put_id("a"))).await?;
        keep(2, Some(put_id("b"))).await?;
        keep(3, None).await?;
        let (a, by) = (identifier("a"), by_ann(1));
        let ports = (store as _, store as _, store as _);
        let erased = erase(ports, &a, "a request", Ground::Terms, &by, noon()).await;
        assert_eq!(erased, Ok(true));
        keep(4, Some(put_id("a"))).await?;
        for (n, expect) in [
            (1, Granted),
            (2, kept("a draft")),
            (3, Granted),
            (4, Granted),
        ] {
            assert_eq!(reserve(store, n, uuid(1), hours(0)).await?, expect, "{n}");
        }
    },
);
