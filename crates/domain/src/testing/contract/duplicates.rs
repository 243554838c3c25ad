//! Fingerprints, by which duplicates are found.

use super::{posting, put, touching};
use crate::{
    enrichment::Sketch,
    posting::{
        PostingId, Status,
        duplicate::{CANDIDATES, Candidate, Fingerprint},
    },
    store::{PostingReader, Store, WriteSet},
    testing::{create, identifier, noon, uuid},
};

/// A fingerprint in these bands.
fn fingerprint(bands: [i64; 4]) -> Fingerprint {
    let first = u16::from_le_bytes(bands[0].to_le_bytes().as_chunks().0[0]);
    Fingerprint {
        bands,
        sketch: Sketch::new([first; Sketch::LENGTH]),
    }
}

async fn write<S: Store>(store: &S, fingerprints: &[(PostingId, Option<[i64; 4]>)]) {
    let mut writes = WriteSet::new(noon());
    let fingerprints = fingerprints.iter().copied();
    writes.fingerprints = fingerprints
        .map(|(id, bands)| (id, bands.map(fingerprint)))
        .collect();
    store.commit(writes).await.expect("the store works");
}

async fn near<S: Store>(store: &S, bands: &[[i64; 4]]) -> Vec<Candidate> {
    let fingerprints: Vec<_> = bands.iter().copied().map(fingerprint).collect();
    store.near(&fingerprints).await.expect("the store works")
}

async fn names<S: Store>(store: &S, bands: &[[i64; 4]]) -> Vec<String> {
    let near = near(store, bands).await.into_iter();
    near.map(|it| it.source_identifier.to_string()).collect()
}

/// Makes the postings `000`, `001` and so on, with ids in this order.
async fn postings<S: Store>(store: &S, count: u16) -> Vec<PostingId> {
    let ids = (0..count).map(|n| PostingId::new(uuid(n.into())));
    let batch = (0..count).map(|n| {
        let mut put = create(&format!("{n:03}"), "acme");
        put.new_id = PostingId::new(uuid(n.into()));
        put
    });
    put(store, &batch.collect::<Vec<_>>()).await;
    ids.collect()
}

/// A posting is found by each of its bands, at its place.
pub async fn what_shares_a_band_is_found<S: Store>(store: &S) {
    let ids = postings(store, 3).await;
    assert_eq!(names(store, &[[1, 2, 3, 4]]).await, [""; 0]);
    let all = [
        (ids[0], Some([1, 2, 3, i64::MIN])),
        (ids[1], Some([5, 2, 7, i64::MAX])),
        (ids[2], Some([9, 9, 9, 9])),
    ];
    write(store, &all).await;
    for (bands, expect) in [
        (vec![[1, 0, 0, 0]], vec!["000"]),
        (vec![[0, 2, 0, 0]], vec!["000", "001"]),
        (vec![[0, 0, 7, 0]], vec!["001"]),
        (vec![[0, 0, 0, i64::MIN]], vec!["000"]),
        (vec![[2, 1, 2, 2]], vec![]),
        (vec![[9, 2, 0, 0], [1, 2, 9, 9]], vec!["000", "001", "002"]),
    ] {
        assert_eq!(names(store, &bands).await, expect, "{bands:?}");
    }
    let candidate = Candidate {
        id: ids[1],
        source_identifier: identifier("001"),
        is_open: true,
        duplicate_of: None,
        fingerprint: fingerprint([5, 2, 7, i64::MAX]),
    };
    assert_eq!(near(store, &[[5, 0, 0, 0]]).await, [candidate]);
}

/// However many there are.
pub async fn the_oldest_of_a_band_are_found<S: Store>(store: &S) {
    let ids = postings(store, 100).await;
    let bands = |n: i64| Some([7, n % 2, n, 8]);
    let all = ids.iter().zip(0..).map(|(id, n)| (*id, bands(n)));
    write(store, &all.collect::<Vec<_>>()).await;
    let found = names(store, &[[7, 9, 9_999, 8]]).await;
    let first: Vec<_> = (0..CANDIDATES).map(|n| format!("{n:03}")).collect();
    assert_eq!(found, first);
    let found = names(store, &[[7, 1, 99, 8]]).await;
    assert_eq!(found.len(), CANDIDATES + CANDIDATES / 2 + 1);
    assert_eq!(found.last().map(String::as_str), Some("099"));
}

/// With the newest outcome. That of a posting that is open is not taken away.
pub async fn a_fingerprint_is_replaced_or_taken_away<S: Store>(store: &S) {
    let ids = postings(store, 2).await;
    write(store, &[(ids[0], Some([1; 4])), (ids[1], Some([1; 4]))]).await;
    write(store, &[(ids[0], Some([2; 4]))]).await;
    assert_eq!(names(store, &[[1; 4]]).await, ["001"]);
    assert_eq!(names(store, &[[2; 4]]).await, ["000"]);
    for (status, is_open) in [
        (Status::Approved, true),
        (Status::Rejected, false),
        (Status::Expired, false),
    ] {
        let writes = touching(&posting(store, "000").await, |posting| {
            posting.status = status;
        });
        store.commit(writes).await.expect("the store works");
        write(store, &[(ids[0], Some([3; 4]))]).await;
        assert_eq!(near(store, &[[3; 4]]).await[0].is_open, is_open);
        write(
            store,
            &[(ids[0], None), (PostingId::new(uuid(0x9999)), None)],
        )
        .await;
        assert_eq!(
            !near(store, &[[3; 4]]).await.is_empty(),
            is_open,
            "{status}"
        );
    }
    assert_eq!(names(store, &[[1; 4]]).await, ["001"]);
}

/// Rules, readers and searches see it.
pub async fn a_mark_comes_back<S: Store + PostingReader>(store: &S) {
    let ids = postings(store, 2).await;
    write(store, &[(ids[1], Some([1; 4]))]).await;
    for mark in [Some(ids[0]), None] {
        let writes = touching(&posting(store, "001").await, |posting| {
            posting.duplicate_of = mark;
        });
        store.commit(writes).await.expect("the store works");
        assert_eq!(posting(store, "001").await.duplicate_of, mark);
        assert_eq!(near(store, &[[1; 4]]).await[0].duplicate_of, mark);
        let view = PostingReader::find(store, &identifier("001")).await;
        let view = view.expect("the store works").expect("it is there");
        assert_eq!(view.posting.duplicate_of, mark);
    }
}
