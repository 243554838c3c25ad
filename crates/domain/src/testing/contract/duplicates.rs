//! Fingerprints and marks of duplicates.

use kernel::{
    Actor, ClientId, PostingId, Status, StoreError,
    testing::{Checked, hours, identifier, noon, uuid},
};

use super::{change, posting, put, touching, view};
use crate::{
    posting::{
        Original,
        duplicate::{CANDIDATES, Candidate, DatedFingerprint, Fingerprint, MinHash, Offer, apart},
    },
    store::{PostingReader, Store, WriteSet},
    testing::{company, create, push, state},
};

fn fingerprint(bands: [i64; 4]) -> Fingerprint {
    let first = u16::from_le_bytes(bands[0].to_le_bytes().as_chunks().0[0]);
    Fingerprint {
        bands,
        signature: MinHash::new([first; MinHash::LENGTH]),
    }
}

fn dated(bands: [i64; 4], after: i64) -> DatedFingerprint {
    DatedFingerprint::new(fingerprint(bands), noon() + hours(after))
}

async fn write<S: Store>(store: &S, all: Vec<(PostingId, Option<DatedFingerprint>)>) -> Checked {
    let mut writes = WriteSet::new(noon());
    writes.optional.fingerprints = all.into_iter().collect();
    store.commit(writes).await?;
    Ok(())
}

async fn alike<S: Store>(store: &S, bands: &[[i64; 4]]) -> Checked<Vec<Candidate>> {
    let fingerprints: Vec<_> = bands.iter().copied().map(fingerprint).collect();
    Ok(store.candidates(&fingerprints, &[]).await?)
}

fn names(candidates: &[Candidate]) -> Vec<&str> {
    let names = candidates.iter().map(|it| it.source_identifier.as_str());
    names.collect()
}

async fn postings<S: Store>(store: &S, count: u16) -> Checked<Vec<PostingId>> {
    let ids = (0..count).map(|n| PostingId::new(uuid(n.into())));
    let batch = (0..count).map(|n| {
        let mut put = create(&format!("{n:03}"), "acme");
        put.new_id = PostingId::new(uuid(n.into()));
        put
    });
    put(store, &batch.collect::<Vec<_>>()).await?;
    Ok(ids.collect())
}

fn original(id: PostingId, name: &str) -> Original {
    Original {
        id,
        source_identifier: identifier(name),
    }
}

kernel::contract_cases!(
    duplicates,
    impl PostingReader + Store,
    async fn what_shares_a_band_is_found(store: &S) {
        let ids = postings(store, 3).await?;
        assert_eq!(alike(store, &[[1, 2, 3, 4]]).await?, []);
        let later = DatedFingerprint {
            first: MinHash::new([0x0102; MinHash::LENGTH]),
            ..dated([5, 2, 7, i64::MAX], 1)
        };
        let all = [
            (ids[0], Some(dated([1, 2, 3, i64::MIN], 0))),
            (ids[1], Some(later.clone())),
            (ids[2], Some(dated([9; 4], 0))),
        ];
        write(store, all.to_vec()).await?;
        for (bands, expect) in [
            (vec![[1, 0, 0, 0]], vec!["000"]),
            (vec![[0, 2, 0, 0]], vec!["000", "001"]),
            (vec![[0, 0, 7, 0]], vec!["001"]),
            (vec![[0, 0, 0, i64::MIN]], vec!["000"]),
            (vec![[2, 1, 2, 2]], vec![]),
            (vec![[9, 2, 0, 0], [1, 2, 9, 9]], vec!["000", "001", "002"]),
        ] {
            assert_eq!(names(&alike(store, &bands).await?), expect, "{bands:?}");
        }
        let candidate = Candidate {
            id: ids[1],
            source_identifier: identifier("001"),
            version: 1,
            is_open: true,
            company: company("acme").id,
            offer: Offer::default(),
            created_by: Some(Actor::Client(ClientId::new(uuid(1)))),
            duplicate_of: None,
            dated: later,
        };
        let candidates = vec![candidate];
        assert_eq!(alike(store, &[[5, 0, 0, 0]]).await?, candidates);
        let named = [ids[1], PostingId::new(uuid(0x9999))];
        assert_eq!(store.candidates(&[], &named).await, Ok(candidates));
        let both = store.candidates(&[fingerprint([1; 4])], &ids[..2]).await;
        assert_eq!(names(&both?), ["000", "001"]);
    },
    async fn the_oldest_of_a_band_are_found(store: &S) {
        let ids = postings(store, 100).await?;
        let all = ids.iter().zip(0_i64..);
        // Pairs of postings have the same age, and the last ids are the oldest.
        let all = all.map(|(id, n)| (*id, Some(dated([7, n % 2, n, 8], (99 - n) / 2))));
        write(store, all.collect()).await?;
        let found = alike(store, &[[7, 9, 9_999, 8]]).await?;
        let oldest: Vec<_> = (0..CANDIDATES)
            .map(|n| format!("{:03}", 100 - CANDIDATES + n))
            .collect();
        assert_eq!(names(&found), oldest);
        // The same postings, then odd ones by the second band, and one by the third.
        let found = alike(store, &[[7, 1, 0, 8]]).await?;
        assert_eq!(found.len(), CANDIDATES + CANDIDATES / 2 + 1);
        assert_eq!(names(&found)[..2], ["000", "069"]);
    },
    async fn a_fingerprint_is_replaced_or_removed(store: &S) {
        let ids = postings(store, 2).await?;
        let both = ids.iter().map(|id| (*id, Some(dated([1; 4], 0))));
        write(store, both.collect()).await?;
        let other = DatedFingerprint {
            first: MinHash::new([9; MinHash::LENGTH]),
            ..dated([2; 4], 3)
        };
        write(store, vec![(ids[0], Some(other.clone()))]).await?;
        assert_eq!(names(&alike(store, &[[1; 4]]).await?), ["001"]);
        assert_eq!(alike(store, &[[2; 4]]).await?[0].dated, other);
        for (status, is_open) in [
            (Status::Approved, true),
            (Status::Rejected, false),
            (Status::Expired, false),
        ] {
            change(store, "000", |it| it.put_in(state(status), None)).await?;
            write(store, vec![(ids[0], Some(dated([3; 4], 0)))]).await?;
            assert_eq!(alike(store, &[[3; 4]]).await?[0].is_open, is_open);
            write(
                store,
                vec![(ids[0], None), (PostingId::new(uuid(0x9999)), None)],
            )
            .await?;
            let stays = !alike(store, &[[3; 4]]).await?.is_empty();
            assert_eq!(stays, is_open, "{status}");
        }
        assert_eq!(names(&alike(store, &[[1; 4]]).await?), ["001"]);
    },
    async fn a_mark_comes_back(store: &S) {
        let ids = postings(store, 2).await?;
        write(store, vec![(ids[1], Some(dated([1; 4], 0)))]).await?;
        for mark in [Some(original(ids[0], "000")), None] {
            change(store, "001", |posting| {
                posting.duplicate_of.clone_from(&mark);
                posting.content_at = mark.is_some().then_some(noon());
            })
            .await?;
            let stored = posting(store, "001").await?;
            assert_eq!(stored.duplicate_of, mark);
            assert_eq!(stored.content_at, mark.as_ref().map(|_| noon()));
            assert_eq!(alike(store, &[[1; 4]]).await?[0].duplicate_of, mark);
            assert_eq!(view(store, "001").await?.posting.duplicate_of, mark);
        }
    },
    async fn copies_are_found(store: &S) {
        let ids = postings(store, 7).await?;
        for (n, of) in [(1, 0), (2, 6), (3, 0), (4, 0), (5, 1)] {
            let name = format!("{n:03}");
            change(store, &name, |it| {
                it.duplicate_of = Some(original(ids[of], &format!("{of:03}")));
            })
            .await?;
            if n < 5 {
                write(store, vec![(ids[n], Some(dated([1; 4], 0)))]).await?;
            }
        }
        for (of, after, limit, expect) in [
            (vec![0], None, 9, vec!["001", "003", "004"]),
            (vec![6, 0, 5], None, 3, vec!["001", "002", "003"]),
            (vec![6, 0, 5], Some(2), 9, vec!["003", "004"]),
            (vec![0], Some(4), 9, vec![]),
            (vec![1, 2], None, 9, vec![]),
            (vec![], None, 9, vec![]),
        ] {
            let of: Vec<_> = of.into_iter().map(|n| ids[n]).collect();
            let after = after.map(|n: usize| ids[n]);
            let copies = store.copies(&of, after, limit).await;
            assert_eq!(names(&copies?), expect);
        }
    },
    async fn a_commit_may_rely_on_versions(store: &S) {
        let ids = postings(store, 2).await?;
        let marking = async |version| -> Checked<_> {
            let mut writes = touching(&posting(store, "001").await?, |posting| {
                posting.duplicate_of = Some(original(ids[0], "000"));
            });
            writes.optional.standing.insert(ids[0], version);
            Ok(store.commit(writes).await)
        };
        assert_eq!(marking(1).await?, Ok(()));
        change(store, "000", |it| it.is_featured = true).await?;
        assert_eq!(marking(1).await?, Err(StoreError::Conflict));
        assert_eq!(marking(2).await?, Ok(()));
        let mut writes = WriteSet::new(noon());
        writes
            .optional
            .fingerprints
            .insert(ids[1], Some(dated([1; 4], 0)));
        writes
            .optional
            .standing
            .insert(PostingId::new(uuid(0x9999)), 1);
        assert_eq!(store.commit(writes).await, Err(StoreError::Conflict));
        assert_eq!(alike(store, &[[1; 4]]).await?, []);
        assert_eq!(posting(store, "000").await?.version, 2);
    },
    async fn postings_marked_as_different_are_known(store: &S) {
        let ids = postings(store, 3).await?;
        let pair = |n: usize, m: usize| apart(ids[n], ids[m]);
        for _ in 0..2 {
            let mut writes = WriteSet::new(noon());
            writes.optional.told_apart = [pair(1, 0), pair(2, 1)].into();
            store.commit(writes).await?;
        }
        for (asked, told) in [
            (vec![], vec![]),
            (vec![pair(0, 2)], vec![]),
            (vec![pair(0, 1), pair(0, 2)], vec![pair(0, 1)]),
            (vec![pair(0, 1), pair(1, 2)], vec![pair(0, 1), pair(1, 2)]),
        ] {
            let found = store.told_apart(&asked).await?;
            assert_eq!(found, told.into_iter().collect());
        }
    },
    async fn what_a_posting_offers_comes_with_it(store: &S) {
        let ids = postings(store, 1).await?;
        write(store, vec![(ids[0], Some(dated([1; 4], 0)))]).await?;
        let body = r#"{"employment_types": ["part-time", "full-time"], "salary_min": 7,
            "salary_currency_code": "SEK", "salary_period": "monthly", "requisition_id": "R-1"}"#;
        put(store, &[push("000", body)]).await?;
        let details = posting(store, "000").await?.details;
        let found = store.candidates(&[], &ids).await?;
        let offers: Vec<_> = found.into_iter().map(|it| it.offer).collect();
        assert_eq!(offers, [Offer::of(&details)]);
        let number = |text: &str| (company("acme").id, text.to_owned());
        for (numbers, expect) in [
            (vec![number("R-1"), number("R-2")], &["000"][..]),
            (
                vec![number("R-2"), (company("bolt").id, "R-1".to_owned())],
                &[],
            ),
        ] {
            assert_eq!(names(&store.numbered(&numbers).await?), expect);
        }
    },
);
