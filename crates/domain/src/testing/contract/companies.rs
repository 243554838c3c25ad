//! Upserting companies.

use super::{load, posting, put};
use crate::{
    company::{Company, CompanyId, CompanyWrite, Website},
    store::{Store, WriteSet},
    testing::{create, noon},
};

pub(super) fn company(host: &str) -> Company {
    let website = Website::parse(&format!("https://{host}.example")).expect("it is a URL");
    Company {
        id: CompanyId::of(&website),
        name: host.into(),
        website,
        logo_path: None,
    }
}

async fn upsert<S: Store>(store: &S, company: &Company, sets_name: bool, sets_logo_path: bool) {
    let mut writes = WriteSet::new(noon());
    let write = CompanyWrite {
        company: company.clone(),
        sets_name,
        sets_logo_path,
        at: noon(),
    };
    writes.companies.insert(company.id, write);
    store
        .commit(writes)
        .await
        .expect("companies never conflict");
}

pub(super) async fn find<S: Store>(store: &S, id: CompanyId) -> Option<Company> {
    store
        .load(&[], &[id])
        .await
        .expect("the store works")
        .companies
        .get(&id)
        .cloned()
}

pub async fn an_upsert_makes_a_company<S: Store>(store: &S) {
    put(store, &[create("a", "acme"), create("b", "acme")]).await;
    let known = load(store, &["a", "b"]).await;
    assert_eq!(known.companies.len(), 1);
    assert_eq!(posting(store, "a").await.company_id, company("acme").id);
    assert_eq!(find(store, company("acme").id).await, Some(company("acme")));
}

/// Two writers of different fields do not undo each other.
pub async fn an_upsert_sets_only_what_it_says<S: Store>(store: &S) {
    let first = Company {
        logo_path: Some("/1.svg".into()),
        ..company("acme")
    };
    upsert(store, &first, true, true).await;
    let renamed = Company {
        name: "Acme AB".into(),
        logo_path: None,
        ..company("acme")
    };
    upsert(store, &renamed, true, false).await;
    let with_logo = Company {
        name: "ignored".into(),
        logo_path: Some("/2.svg".into()),
        ..company("acme")
    };
    upsert(store, &with_logo, false, true).await;
    let after = find(store, first.id).await.expect("it is there");
    assert_eq!(
        (after.name.as_str(), after.logo_path.as_deref()),
        ("Acme AB", Some("/2.svg"))
    );
    upsert(
        store,
        &Company {
            logo_path: None,
            ..after
        },
        false,
        true,
    )
    .await;
    assert_eq!(
        find(store, first.id).await.expect("it is there").logo_path,
        None
    );
}

pub async fn many_companies_in_one_commit<S: Store>(store: &S) {
    let batch: Vec<_> = (0..1_500)
        .map(|n| create(&format!("p{n}"), &format!("c{n}")))
        .collect();
    put(store, &batch).await;
    let ids: Vec<_> = (0..1_500).map(|n| company(&format!("c{n}")).id).collect();
    let known = store.load(&[], &ids).await.expect("the store works");
    assert_eq!(known.companies.len(), 1_500);
}
