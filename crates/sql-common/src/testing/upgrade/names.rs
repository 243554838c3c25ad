//! The company of the fixtures that had other names, and its posting.

use domain::{
    company::{Company, CompanyView},
    posting::{
        EnrichedTexts, Posting, PostingView,
        duplicate::{Candidate, DatedFingerprint, Fingerprint, MinHash},
    },
    testing::posting,
};
use kernel::testing::identifier;
use kernel::{
    CompanyId, Website,
    testing::{hours, noon},
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::postings::{bare, comes_back};
use crate::testing::AllPorts;

pub(super) fn company() -> CompanyView {
    let company = Company {
        id: CompanyId::new(Uuid::from_u128(0x86c4_b06d_4a1c_5e2b_9c0e_0000_0000_0801)),
        name: "Core".to_owned(),
        website: Website::parse("https://core.example").expect("it is a website"),
        logo_path: None,
        owner: None,
    };
    CompanyView {
        company,
        created_at: noon(),
        updated_at: noon() + hours(1),
        updated_by: None,
    }
}

pub(super) async fn come_back<S: AllPorts>(store: &S) {
    let company = company();
    let bare = bare();
    let view = PostingView {
        posting: Posting {
            source_identifier: identifier("renamed"),
            created_by: bare.posting.created_by,
            updated_by: None,
            // Whoever could see its original was not asked.
            duplicate_of: None,
            ..posting(0x801, company.company.id)
        },
        texts: Some(EnrichedTexts {
            markdown: "Build things.".to_owned(),
            redacted_markdown: "Build things.".to_owned(),
            redacted_title: Some("Engineer at [company]".to_owned()),
        }),
        company,
        history: Vec::new(),
        ..bare
    };
    comes_back(store, &view).await;
    let known = store.load_by_id(&[view.posting.id]).await;
    let known = known.expect("the store works");
    assert_eq!(
        known
            .former_names
            .get(&view.company.company.id)
            .map(Vec::as_slice),
        Some(["Bølt".to_owned(), "Acme \"1\"".to_owned()].as_slice())
    );
    let fingerprint = Fingerprint {
        bands: [1, -2, i64::MAX, i64::MIN],
        signature: MinHash::new([0x0102; MinHash::LENGTH]),
    };
    let dated = DatedFingerprint::new(fingerprint.clone(), OffsetDateTime::UNIX_EPOCH);
    let candidate = Candidate::of(&view.posting, dated);
    assert_eq!(store.near(&[fingerprint], &[]).await, Ok(vec![candidate]));
}
