//! The company of the fixtures that had other names, and its posting.

use domain::{
    company::{Company, CompanyId, Website},
    enrichment::EnrichedTexts,
    posting::{Posting, PostingView},
    testing::{AllPorts, identifier, posting},
};
use uuid::uuid;

use super::postings::{bare, comes_back};

pub(super) async fn come_back<S: AllPorts>(store: &S) {
    let company = Company {
        id: CompanyId::new(uuid!("86c4b06d-4a1c-5e2b-9c0e-000000000801")),
        name: "Core".to_owned(),
        website: Website::parse("https://core.example").expect("it is a website"),
        logo_path: None,
    };
    let bare = bare();
    let view = PostingView {
        posting: Posting {
            source_identifier: identifier("renamed"),
            created_by: bare.posting.created_by,
            updated_by: None,
            ..posting(0x801, company.id)
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
        known.former_names.get(&view.company.id).map(Vec::as_slice),
        Some(["Bølt".to_owned(), "Acme \"1\"".to_owned()].as_slice())
    );
}
