//! The posting of the fixtures that is a copy.

use domain::{
    posting::{
        Original, Posting, PostingView,
        duplicate::{Candidate, DatedFingerprint, Fingerprint, MinHash},
    },
    testing::posting,
};
use kernel::testing::identifier;
use kernel::{
    PostingId,
    testing::{hours, noon, uuid},
};

use super::{
    names::company,
    postings::{bare, comes_back},
};
use crate::testing::AllPorts;

pub(super) async fn come_back<S: AllPorts>(store: &S) {
    let (bare, company) = (bare(), company());
    let view = PostingView {
        posting: Posting {
            source_identifier: identifier("copied"),
            created_by: bare.posting.created_by,
            updated_by: None,
            duplicate_of: Some(Original {
                id: PostingId::new(uuid(0x101)),
                source_identifier: identifier("förlag/1 100%"),
            }),
            content_at: Some(noon() + hours(1)),
            ..posting(0x804, company.company.id)
        },
        company,
        history: Vec::new(),
        ..bare
    };
    comes_back(store, &view).await;
    let fingerprint = Fingerprint {
        bands: [11, 12, 13, 14],
        signature: MinHash::new([0x0102; MinHash::LENGTH]),
    };
    let dated = DatedFingerprint {
        first: MinHash::new([0x0103; MinHash::LENGTH]),
        ..DatedFingerprint::new(fingerprint.clone(), noon())
    };
    let candidate = Candidate::of(&view.posting, dated);
    assert_eq!(store.near(&[fingerprint], &[]).await, Ok(vec![candidate]));
}
