//! Loading and committing postings.

use kernel::{
    CompanyId, DecisionCode, PostingId, Status, StoreError,
    testing::{Absent, by_ann, hours, identifier, noon, uuid},
};

use super::{change, first, load, posting, put, touching, view, writing};
use crate::{
    catalogue::CatalogueId,
    decision::decide,
    posting::{
        ContentHash, Coordinates, DecidedBy, Decision, DecisionOutcome, Description, EnrichedTexts,
        Findings, Ground, Objection, ObjectionState, Posting, Remark, RemarkCode, Review, State,
    },
    store::{ListQuery, PostingReader, Snapshot, Store, Texts, WriteSet},
    testing::{create, push, put_id, state},
};

kernel::contract_cases!(
    postings,
    impl PostingReader + Store,
    async fn loads_only_what_is_named(store: &S) {
        let puts = [("a", "acme"), ("b", "bolt"), ("c", "core")];
        put(store, &puts.map(|(id, host)| create(id, host))).await?;
        let core = posting(store, "c").await?.company_id;
        let unknown = CompanyId::new(uuid(404));
        let snapshot = store
            .load(&[identifier("a"), identifier("unknown")], &[core, unknown])
            .await?;
        let identifiers: Vec<_> = snapshot.postings.keys().collect();
        assert_eq!(identifiers, [&identifier("a")]);
        let companies = snapshot.companies.values();
        let mut companies: Vec<_> = companies.map(|it| it.name.as_str()).collect();
        companies.sort_unstable();
        assert_eq!(companies, ["acme", "core"]);
        assert!(load(store, &[]).await?.postings.is_empty());
        let answers = store
            .repeat_answers(&[identifier("a"), identifier("unknown")])
            .await?;
        assert_eq!(answers, load(store, &["a"]).await?.repeat_answers());
    },
    async fn descriptions_are_read_where_they_are_needed(store: &S) {
        let pushes = [
            (create("a", "acme"), "<p>Build things at acme.</p>"),
            (
                push("a", r#"{"title": "Builder"}"#),
                "<p>Build things at acme.</p>",
            ),
            (push("a", r#"{"raw_description": "Grüße"}"#), "Grüße"),
            (push("a", r#"{"title": "Baker"}"#), "Grüße"),
        ];
        for (command, expect) in pushes {
            put(store, &[command]).await?;
            let loaded = posting(store, "a").await?.details.raw_description;
            assert_eq!(loaded, Description::from(expect), "by its digest");
            let text = |posting: &Posting| posting.details.raw_description.text().cloned();
            let snapshot = store.load_by_id(&[put_id("a")]).await?;
            let found = view(store, "a").await?;
            let listed = PostingReader::list(store, &first(1)).await?.postings;
            for posting in [
                snapshot.postings.get(&identifier("a")),
                Some(&found.posting),
                listed.first().map(|view| &view.posting),
            ] {
                let posting = posting.ok_or(Absent)?;
                assert_eq!(text(posting).as_deref(), Some(expect));
                assert_eq!(posting.details.raw_description, loaded);
            }
        }
    },
    /// A batch may exceed a database's parameter limit.
    async fn loads_large_batches(store: &S) {
        let names: Vec<_> = (0..3_000).map(|n| format!("posting {n}")).collect();
        let puts = (0..).zip(&names);
        let puts = puts.map(|(n, name)| create(name, &format!("c{}", n / 2)));
        put(store, &puts.collect::<Vec<_>>()).await?;
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let snapshot = load(store, &names).await?;
        assert_eq!(snapshot.postings.len(), 3_000);
        assert_eq!(snapshot.companies.len(), 1_500);
        let companies: Vec<_> = snapshot.companies.into_keys().collect();
        let snapshot = store.load(&[], &companies).await?;
        assert_eq!(snapshot.companies.len(), 1_500);
        let ids: Vec<_> = names.iter().map(|name| put_id(name)).collect();
        let snapshot = store.load_by_id(&ids).await?;
        assert_eq!(snapshot.postings.len(), 3_000);
    },
    async fn a_new_posting_of_a_taken_identifier_conflicts(store: &S) {
        put(store, &[create("a", "acme")]).await?;
        let taken = posting(store, "a").await?;
        let writes = writing(&taken, |write| {
            write.expected = None;
            write.posting.id = PostingId::new(uuid(5));
            write.posting.version = 1;
            write.posting.details.raw_description = "<p>Build.</p>".into();
        });
        assert_eq!(store.commit(writes).await, Err(StoreError::Conflict));
        assert_eq!(posting(store, "a").await?.id, put_id("a"));
    },
    async fn a_write_on_another_version_conflicts(store: &S) {
        put(store, &[create("a", "acme")]).await?;
        let before = posting(store, "a").await?;
        let writes = || touching(&before, |posting| posting.details.title = "New".into());
        store.commit(writes()).await?;
        assert_eq!(store.commit(writes()).await, Err(StoreError::Conflict));
        assert_eq!(posting(store, "a").await?.version, 2);
    },
    async fn identifiers_compare_byte_for_byte(store: &S) {
        let names = [
            "a", "A", "a ", "ä", "a\u{308}", "a/b?c", "🦀", "%41", "'; --",
        ];
        let batch: Vec<_> = names.iter().map(|name| create(name, "acme")).collect();
        put(store, &batch).await?;
        for name in names {
            assert_eq!(posting(store, name).await?.id, put_id(name), "{name}");
        }
        assert_eq!(load(store, &names).await?.postings.len(), names.len());
    },
    async fn every_field_comes_back(store: &S) {
        let body = r#"{
            "title": "Ingénieur·e 🦀 \" ' \\ %_",
            "raw_description": "<p>Zeile 1\r\nLinie 2</p> ",
            "employment_types": ["internship", "full-time", "internship"],
            "location_types": ["other", "remote", "on-site", "hybrid"],
            "location_country_code": "se", "location_city": "Malmö",
            "salary_min": 0, "salary_max": 9007199254740991,
            "salary_currency_code": "sek", "salary_period": "hourly",
            "application_email": "jobs@acme.example",
            "application_url": "https://acme.example/ü?a=b#c",
            "metadata": { "b": 1.50, "a": [null, {"x": "\u00e9\ud83e\udd80"}], "c": 1e308 },
            "expiration_reason": "later",
            "valid_through": "9999-12-31", "date_posted": "2025-12-31T23:00:00.5-02:00",
            "requisition_id": "R 7", "location_region": "Skåne", "location_postal_code": "211 20",
            "locations": [{"city": "Malmö", "postal_code": "1\"2"}, {"country_code": "no", "region": "NO-03"}],
            "company": {
                "name": "Acmé", "website_url": "https://acme.example/", "logo_path": "/logo.svg"
            }
        }"#;
        let put = push("a", body);
        let mut decided = Snapshot::default();
        let change = decide(&decided, &put, super::lifetime(), noon())?.change;
        let mut writes = WriteSet::new(noon());
        change.ok_or(Absent)?.record(&mut decided, &mut writes);
        store.commit(writes).await?;
        let stored = load(store, &["a"]).await?;
        assert_eq!(stored.postings, decided.postings);
        assert_eq!(stored.companies, decided.companies);
        let set = stored.postings.values().map(|it| it.details.set_fields());
        assert!(set.eq([(1 << crate::posting::Details::OPTIONAL_FIELDS.len()) - 1]));
        let reviewed = posting(store, "a").await?;
        let every = touching(&reviewed, |posting| {
            let at = noon() + hours(2);
            let moderated = true;
            posting.put_in(State::Expired { at, moderated }, Some("because"));
            posting.enriched_hash = Some(ContentHash::from_bytes([0xA5; 32]));
            posting.approved_hash = Some(ContentHash::from_bytes([0x5A; 32]));
            posting.catalogue = Some(CatalogueId::new(uuid(7)));
            posting.is_featured = true;
            posting.published_at = Some(noon());
            posting.expire_at = Some(noon() + hours(1));
            posting.updated_at = noon() + hours(3);
        });
        let expect = every.postings[&reviewed.id].posting.clone();
        store.commit(every).await?;
        assert_eq!(posting(store, "a").await?, expect);
    },
    async fn a_review_comes_back(store: &S) {
        put(store, &[create("a", "acme")]).await?;
        for (review, reason) in [
            (None, Some("awaiting_review: copied")),
            (Some(Review::NoVerdict), None),
            (Some(Review::Poison), Some("no")),
        ] {
            let moderated = review.is_none();
            let state = State::Approved { review, moderated };
            change(store, "a", |posting| posting.put_in(state, reason)).await?;
            let stored = posting(store, "a").await?;
            assert_eq!((stored.state(), stored.status_reason()), (state, reason));
        }
    },
    async fn overdue_postings_are_found_in_order(store: &S) {
        let rows = [
            ("late", Status::Approved, Some(noon() - hours(1))),
            ("later", Status::Approved, Some(noon() - hours(2))),
            ("now", Status::PendingEnrichment, Some(noon())),
            ("soon", Status::Approved, Some(noon() + hours(1))),
            ("expired", Status::Expired, Some(noon() - hours(3))),
            ("rejected", Status::Rejected, Some(noon() - hours(3))),
            ("endless", Status::Approved, None),
        ];
        for (name, status, end) in rows {
            put(store, &[create(name, "acme")]).await?;
            change(store, name, |posting| {
                posting.put_in(state(status), None);
                posting.expire_at = end;
            })
            .await?;
        }
        let overdue = store.overdue(noon(), 10).await?;
        assert_eq!(overdue, ["later", "late", "now"].map(identifier));
        assert_eq!(store.overdue(noon(), 1).await?, [identifier("later")]);
    },
    async fn the_newest_decision_stays(store: &S) {
        put(store, &[create("a", "acme")]).await?;
        let by_rules = Decision {
            outcome: DecisionOutcome::Rejected,
            at: noon(),
            by: DecidedBy::Rules("1".into()),
            code: DecisionCode::new("spam"),
            sentence: "It \"says\" nothing,\\ 😀.".into(),
            passages: vec!["Say, \"one\"".into(), "{two}".into()],
            ground: Some(Ground::Terms),
            by_notice: true,
            objection: Some(Objection {
                at: noon() + hours(2),
                against: noon(),
                statement: "It \"says\" all,\\ 😀.".into(),
                state: ObjectionState::Upheld,
                sentence: Some("No.".into()),
            }),
        };
        let (ann, at) = (Some(by_ann(1).operator), noon() + hours(1));
        let removed = DecisionOutcome::Removed;
        let removal = Decision::statement(removed, "A fraud.", Ground::Law, ann.clone(), at);
        let approval = Decision::approval(ann, at);
        for decision in [None, Some(by_rules), Some(removal), Some(approval)] {
            let before = posting(store, "a").await?;
            let writes = writing(&before, |write| write.decision.clone_from(&decision));
            store.commit(writes).await?;
            change(store, "a", |posting| posting.is_featured ^= true).await?;
            assert_eq!(view(store, "a").await?.decision, decision);
            for texts in [Texts::All, Texts::Redacted, Texts::None] {
                let query = ListQuery { texts, ..first(1) };
                let page = PostingReader::list(store, &query).await?.postings;
                assert_eq!(page.first().ok_or(Absent)?.decision, decision);
            }
        }
    },
    async fn the_newest_enrichment_stays(store: &S) {
        put(store, &[create("a", "acme")]).await?;
        let texts = |markdown: &str| EnrichedTexts {
            markdown: markdown.into(),
            redacted_markdown: format!("[{markdown}]"),
            redacted_title: (markdown == "one").then(|| "Title".into()),
        };
        let place = Coordinates {
            latitude: -33.868_82,
            longitude: 151.209_29,
        };
        for enriched in [
            Some((texts("one"), Some(place))),
            None,
            Some((texts("two"), None)),
        ] {
            let one = Findings {
                places: vec![None, Some(place)],
                remarks: vec![Remark::new(
                    RemarkCode::NoPlace,
                    "location_city",
                    "\"é\" is none.",
                )],
            };
            let found = match &enriched {
                Some((_, None)) => Findings::default(),
                _ => one,
            };
            let before = posting(store, "a").await?;
            let writes = writing(&before, |write| {
                write.enriched.clone_from(&enriched);
                if enriched.is_some() {
                    write.findings = found.clone();
                }
            });
            store.commit(writes).await?;
            let view = view(store, "a").await?;
            assert_eq!(view.findings, found);
            let (texts, place) = enriched.unwrap_or((texts("one"), Some(place)));
            assert_eq!((view.texts, view.coordinates), (Some(texts), place));
        }
    },
);
