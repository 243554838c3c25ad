//! The console's view of postings and companies.

use kernel::{
    Actor, Status,
    testing::{Checked, by_ann, hours, identifier, minutes, noon},
};

use super::{put as push, run};
use crate::{
    browse::{PostingBrowser, PostingSummary, WindowOrder},
    company::{Company, CompanyReader, CompanyView},
    posting::State,
    store::{Position, Store, WriteSet},
    testing::{company, company_view, company_write, create},
};

async fn window<S: PostingBrowser>(
    store: &S,
    order: WindowOrder,
    limit: usize,
) -> Checked<Vec<String>> {
    let found = store.window(&order, limit).await?.into_iter();
    Ok(found
        .map(|one| one.source_identifier.as_str().to_owned())
        .collect())
}

kernel::contract_cases!(
    console,
    impl Store + CompanyReader + PostingBrowser,
    async fn postings_are_looked_through_newest_first(store: &S) {
        for (minute, id) in (0..).zip(["b", "a", "d", "c"]) {
            for answer in run(store, &[create(id, "acme")], noon() + minutes(minute)).await? {
                answer?;
            }
        }
        let d = super::posting(store, "d").await?;
        let (updated_at, id) = (d.updated_at, d.id.uuid());
        let behind = Some(Position { updated_at, id });
        let waiting = Some(Status::PendingEnrichment);
        for (status, before, limit, expect) in [
            (None, None, 9, &["c", "d", "a", "b"][..]),
            (None, None, 2, &["c", "d"]),
            (waiting, None, 1, &["c"]),
            (Some(Status::Expired), None, 9, &[]),
            (None, behind, 9, &["a", "b"]),
            (waiting, behind, 9, &["a", "b"]),
        ] {
            let order = WindowOrder::Newest { status, before };
            assert_eq!(window(store, order, limit).await?, expect);
        }
        for (status, most, count) in [
            (Status::PendingEnrichment, 9, 4),
            (Status::PendingEnrichment, 3, 3),
            (Status::Approved, 9, 0),
        ] {
            assert_eq!(store.count_status(status, most).await, Ok(count));
        }
    },
    async fn postings_are_looked_through_by_identifier(store: &S) {
        let ids = [
            "a",
            "a%_",
            "a-1",
            "a-10",
            "a-2",
            "a-é",
            "A-1",
            "b",
            "a-\u{1f980}",
        ];
        let batch: Vec<_> = ids.iter().map(|id| create(id, "acme")).collect();
        push(store, &batch).await?;
        let by = |prefix: &str, after: Option<&str>| WindowOrder::Identifier {
            prefix: prefix.into(),
            after: after.map(identifier),
        };
        let all = ["a-1", "a-10", "a-2", "a-é", "a-\u{1f980}"];
        assert_eq!(window(store, by("a-", None), 9).await?, all);
        assert_eq!(window(store, by("a-", None), 2).await?, all[..2]);
        assert_eq!(window(store, by("a-", Some("a-10")), 9).await?, all[2..]);
        assert_eq!(window(store, by("a%", None), 9).await?, ["a%_"]);
        assert_eq!(window(store, by("a-10", None), 9).await?, ["a-10"]);
        assert_eq!(window(store, by("", None), 99).await?.len(), ids.len());
        assert_eq!(window(store, by("c", None), 9).await?.len(), 0);
    },
    async fn a_posting_in_short_comes_back(store: &S) {
        push(store, &[create("a", "acme")]).await?;
        let snapshot = super::load(store, &["a"]).await?;
        let one = &snapshot.postings[&identifier("a")];
        let writes = super::touching(one, |posting| {
            posting.put_in(State::Rejected { moderated: true }, Some("no"));
            posting.is_featured = true;
            posting.published_at = Some(noon() + hours(1));
            posting.updated_at = noon() + hours(2);
            posting.updated_by = Some(Actor::Operator(Some(by_ann(1).operator)));
        });
        store.commit(writes).await?;
        let order = WindowOrder::Newest {
            status: None,
            before: None,
        };
        let expect = PostingSummary {
            id: one.id,
            version: one.version + 1,
            source_identifier: identifier("a"),
            status: Status::Rejected,
            status_reason: Some("no".to_owned()),
            moderated: true,
            is_featured: true,
            title: one.details.title.clone(),
            company: "acme".to_owned(),
            created_by: one.created_by.clone(),
            duplicate_of: None,
            created_at: noon(),
            published_at: Some(noon() + hours(1)),
            updated_at: noon() + hours(2),
        };
        assert_eq!(store.window(&order, 9).await?, [expect]);
    },
    async fn companies_are_listed_by_website(store: &S) {
        let hosts = ["bolt", "Acme", "dune", "core"];
        let puts: Vec<_> = hosts.iter().map(|host| create(host, host)).collect();
        push(store, &puts).await?;
        let list = async |after: &str, limit| -> Checked<Vec<_>> {
            let found = store.companies(after, limit).await?;
            let names = found.into_iter().map(|view| view.company.name);
            Ok(names.collect())
        };
        assert_eq!(list("", 9).await?, ["Acme", "bolt", "core", "dune"]);
        assert_eq!(list("", 1).await?, ["Acme"]);
        assert_eq!(list("bolt.example", 1).await?, ["core"]);
        assert_eq!(list("c", 9).await?, ["core", "dune"]);
        let acme = company("Acme");
        assert_eq!(store.companies("", 1).await?, [company_view(&acme)]);

        let renamed = Company {
            name: "Acme AB".into(),
            ..acme
        };
        for at in [1, 2].map(hours) {
            let mut write = company_write(&renamed, true, false);
            (write.at, write.by) = (noon() + at, Actor::Enricher);
            let mut writes = WriteSet::new(write.at);
            writes.companies.insert(renamed.id, write);
            store.commit(writes).await?;
        }
        let view = CompanyView {
            updated_at: noon() + hours(1),
            updated_by: Some(Actor::Enricher),
            ..company_view(&renamed)
        };
        assert_eq!(store.company(renamed.id).await?, Some(view));
        assert_eq!(store.company(company("other").id).await, Ok(None));
    },
);
