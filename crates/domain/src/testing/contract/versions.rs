//! Shown values while content waits for a verdict, and replaced values.

use kernel::{
    Status, Version,
    testing::{Absent, Checked, hours, identifier, noon, uuid},
};
use time::OffsetDateTime;

use super::{first, posting, view};
use crate::{
    browse::{PostingBrowser, WindowOrder},
    decision::{WriteSet, outcome},
    posting::{
        AsOf, Coordinates, EnrichedTexts, Enrichment, Lifetime, PostingVersion, PostingView,
        PutPosting, ReasonCode, Verdict,
    },
    store::{ListQuery, PostingReader, Retention, Store, Texts},
    testing::{create, push},
    usecase::{end_holds, ingest},
};

pub(crate) async fn judge<S: Store>(
    store: &S,
    name: &str,
    word: &str,
    no_ad: bool,
    at: u32,
) -> Checked {
    let mut snapshot = store.load(&[identifier(name)], &[]).await?;
    let posting = snapshot.postings.get(&identifier(name)).ok_or(Absent)?;
    let company = snapshot.company_of(posting)?;
    let made = Enrichment {
        texts: EnrichedTexts {
            markdown: format!("full {word}"),
            redacted_markdown: format!("hidden {word}"),
            redacted_title: Some(word.to_owned()),
        },
        coordinates: (word == "Oslo").then_some(Coordinates {
            latitude: 59.9,
            longitude: 10.7,
        }),
        verdict: if no_ad {
            Verdict::Reject {
                code: ReasonCode::LoginWall,
                text: "Sign in.".to_owned(),
                passages: Vec::new(),
            }
        } else {
            Verdict::Approve
        },
        ..Enrichment::bare()
    };
    let content = outcome::due(posting, company).ok_or(Absent)?;
    let now = noon() + hours(at.into());
    let change = outcome::apply(posting, company, content, &made, None, Lifetime::NEVER, now);
    let mut writes = WriteSet::new(now);
    change.ok_or(Absent)?.record(&mut snapshot, &mut writes);
    Ok(store.commit(writes).await?)
}

async fn push_at<S: Store>(store: &S, put: PutPosting, at: u32) -> Checked {
    let now = noon() + hours(at.into());
    for answer in ingest(store, &[put], Lifetime::NEVER, now).await? {
        answer?;
    }
    Ok(())
}

async fn versions<S: PostingReader>(store: &S, name: &str) -> Checked<Vec<PostingVersion>> {
    let (mut all, mut before) = (Vec::new(), None);
    loop {
        let page = store.versions(&identifier(name), before, 2).await?;
        let page = page.ok_or(Absent)?;
        before = page.last().map(|it| it.version);
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

fn seen(mut view: PostingView) -> PostingView {
    view.history.clear();
    view.decision = None;
    view
}

async fn as_of<S: PostingReader>(
    store: &S,
    name: &str,
    moment: AsOf,
) -> Checked<Option<PostingView>> {
    Ok(store.as_of(&identifier(name), moment).await?.map(seen))
}

fn replaced(versions: &[PostingVersion]) -> Vec<(Version, Vec<&str>)> {
    let quiet = ["updated_at", "updated_by", "enriched_hash", "content_at"];
    let oldest_first = versions.iter().rev();
    oldest_first
        .map(|it| {
            let names = it.before.iter().map(|(name, _)| name);
            (
                it.version,
                names.filter(|name| !quiet.contains(name)).collect(),
            )
        })
        .collect()
}

kernel::contract_cases!(
    versions,
    impl PostingReader + PostingBrowser + Retention + Store,
    async fn readers_see_what_was_judged(store: &S) {
        push_at(store, create("a", "acme"), 0).await?;
        judge(store, "a", "Good", false, 1).await?;
        let good = view(store, "a").await?;
        let bait = r#"{"title":"Easy cash","raw_description":"Send money","salary_min":9,
            "company":{"name":"Evil","website_url":"https://evil.example"}}"#;
        push_at(store, push("a", bait), 2).await?;
        let found = view(store, "a").await?;
        let query = |texts| ListQuery { texts, ..first(9) };
        let lists = [Texts::All, Texts::Redacted].map(query);
        let full = PostingReader::list(store, &lists[0]).await?.postings;
        assert_eq!(full[0].pending, found.pending);
        for shown in [&found, &full[0]] {
            let (posting, before) = (&shown.posting, &good.posting);
            assert_eq!(posting.details.title, before.details.title);
            assert_eq!(shown.description(), good.description());
            assert_eq!(posting.details.salary_min, Some(9));
            assert_eq!(shown.company, good.company);
            assert_eq!(
                (&shown.texts, posting.company_id),
                (&good.texts, before.company_id)
            );
            let pending = shown.pending.as_ref().ok_or(Absent)?;
            assert_eq!(pending.since, noon() + hours(2));
            assert_eq!(pending.values.get("title"), Some("Easy cash".to_owned()));
            assert_eq!(pending.description.as_deref(), Some("Send money"));
            let company = pending.company.as_ref().ok_or(Absent)?;
            assert_eq!(company.company.name, "Evil");
        }
        let short = PostingReader::list(store, &lists[1]).await?.postings;
        let pending = short[0].pending.as_ref().ok_or(Absent)?;
        assert_eq!((short[0].description(), &pending.description), ("", &None));
        let order = WindowOrder::Newest {
            status: None,
            before: None,
        };
        let summary = store.window(&order, 9).await?;
        assert_eq!(
            (&*summary[0].title, &*summary[0].company),
            ("Engineer a", "acme")
        );
        assert!(
            posting(store, "a").await?.shown.is_some(),
            "rules know both"
        );

        judge(store, "a", "Other", false, 3).await?;
        let found = view(store, "a").await?;
        assert_eq!((&found.pending, found.description()), (&None, "Send money"));
        assert_eq!(found.company.company.name, "Evil");
    },
    async fn a_posting_is_read_as_it_was_shown_at_each_moment(store: &S) {
        push_at(store, create("a", "acme"), 0).await?;
        let mut moments = vec![(1, noon(), seen(view(store, "a").await?))];
        let steps: [(&str, &str); 10] = [
            ("judge", "Good"),
            ("push", r#"{"salary_min":1}"#),
            ("push", r#"{"title":"Two","raw_description":"<p>Two.</p>"}"#),
            (
                "push",
                r#"{"raw_description":"<p>Three.</p>","metadata":{"a":[1]}}"#,
            ),
            ("no ad", "Wall"),
            (
                "push",
                r#"{"company":{"name":"Next","website_url":"https://next.example"}}"#,
            ),
            ("judge", "Oslo"),
            (
                "push",
                r#"{"raw_description":"<p>Four.</p>","salary_min":null}"#,
            ),
            ("push", r#"{"expiration":{"reason":"Filled"}}"#),
            ("push", r#"{"expiration":null}"#),
        ];
        for (at, (step, body)) in (1..).zip(steps) {
            match step {
                "push" => push_at(store, push("a", body), at).await?,
                step => judge(store, "a", body, step == "no ad", at).await?,
            }
            let shown = seen(view(store, "a").await?);
            moments.push((shown.posting.version, noon() + hours(at.into()), shown));
        }
        push_at(store, push("a", r#"{"expiration":null}"#), 11).await?;
        let all = versions(store, "a").await?;
        assert_eq!(all.len(), steps.len(), "an unchanged push writes none");
        for (version, at, shown) in &moments {
            // A company has its present name and times.
            let at_version = as_of(store, "a", AsOf::Version(*version)).await?;
            assert_eq!(at_version.as_ref(), Some(shown), "version {version}");
            let at_time = as_of(store, "a", AsOf::At(*at + time::Duration::MINUTE)).await?;
            assert_eq!(at_time.as_ref(), Some(shown), "at {at}");
        }
        for unknown in [
            AsOf::Version(99),
            AsOf::Version(0),
            AsOf::At(noon() - hours(1)),
        ] {
            assert_eq!(as_of(store, "a", unknown).await?, None, "{unknown:?}");
        }
        assert_eq!(store.versions(&identifier("b"), None, 9).await, Ok(None));
        let names = replaced(&all);
        assert_eq!(names[1], (3, vec!["salary_min"]));
        assert_eq!(names[2], (4, vec!["raw_description", "shown", "title"]));
    },
    async fn the_records_of_an_import_are_found(store: &S) {
        for id in ["a", "b"] {
            push_at(store, create(id, "acme"), 0).await?;
            judge(store, id, "Good", false, 1).await?;
            let mut put = push(id, r#"{"title":"Careers"}"#);
            put.import = Some(uuid(5));
            push_at(store, put, 2).await?;
        }
        push_at(store, push("b", r#"{"salary_min":1}"#), 3).await?;
        let mut found = Vec::new();
        for id in ["a", "b"] {
            let posting = posting(store, id).await?;
            let records = store.records(uuid(5), &[posting.id]).await?;
            found.push(
                records
                    .iter()
                    .map(|it| (it.version, it.import))
                    .collect::<Vec<_>>(),
            );
            assert_eq!(store.records(uuid(6), &[posting.id]).await, Ok(vec![]));
        }
        assert_eq!(found[0], [(3, Some(uuid(5)))]);
        assert_eq!(found[1], [(4, None), (3, Some(uuid(5)))]);
        let [a, b] = [posting(store, "a").await?.id, posting(store, "b").await?.id];
        let after = store.records_after(&[(a, 2), (b, 3)]).await?;
        let after: Vec<_> = after.iter().map(|it| (it.posting, it.version)).collect();
        assert_eq!(after.len(), 2);
        assert!(after.contains(&(a, 3)) && after.contains(&(b, 4)));
    },
    async fn content_that_is_held_back_for_too_long_is_judged_again(store: &S) {
        for (id, at) in [("a", 1), ("b", 2), ("c", 3)] {
            push_at(store, create(id, "acme"), 0).await?;
            judge(store, id, "Good", false, 0).await?;
            push_at(store, push(id, r#"{"raw_description":"Sign in"}"#), at).await?;
            judge(store, id, "Wall", id != "c", at).await?;
        }
        let held = store.held(noon() + hours(2), 9).await?;
        assert_eq!(held, ["a", "b"].map(identifier));
        assert_eq!(store.held(noon() + hours(2), 1).await?.len(), 1);
        let (before, now) = (noon() + hours(1), noon() + hours(9));
        assert_eq!(end_holds(store, before, 9, now).await, Ok(1));
        assert_eq!(store.held(noon() + hours(2), 9).await?, [identifier("b")]);
        judge(store, "a", "Wall", true, 9).await?;
        let statuses = [posting(store, "a").await?, posting(store, "b").await?];
        let statuses = statuses.map(|posting| posting.status());
        assert_eq!(statuses, [Status::Rejected, Status::Approved]);
    },
    async fn old_versions_are_forgotten(store: &S) {
        for id in ["a", "b"] {
            push_at(store, create(id, "acme"), 0).await?;
            judge(store, id, "Good", false, 1).await?;
            push_at(store, push(id, r#"{"salary_min":1}"#), 2).await?;
            push_at(store, push(id, r#"{"salary_min":2}"#), 3).await?;
        }
        push_at(store, push("b", r#"{"raw_description":"Other"}"#), 4).await?;
        let before: OffsetDateTime = noon() + hours(3);
        assert_eq!(store.forget_versions(before, 1).await, Ok(1));
        assert_eq!(store.forget_versions(before, 9).await, Ok(1));
        assert_eq!(store.forget_versions(before, 9).await, Ok(0));
        assert_eq!(versions(store, "a").await?.len(), 1);
        assert_eq!(versions(store, "b").await?.len(), 4);
        let at = |version| as_of(store, "a", AsOf::Version(version));
        assert_eq!(at(2).await?, None, "it is not kept");
        let then = at(3).await?.ok_or(Absent)?;
        assert_eq!(then.posting.details.salary_min, Some(1));
        assert_eq!(
            view(store, "b").await?.description(),
            "<p>Build things at acme.</p>"
        );
    },
);
