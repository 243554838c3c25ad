use kernel::testing::identifier;
use kernel::{
    PostingId, Status, StoreError,
    outbox::{ClaimToken, Outbox},
    testing::{by_ann, hours, noon, uuid},
};
use time::{Duration, OffsetDateTime};

use crate::{
    posting::{
        Coordinates, ENRICH, EnrichedTexts, Enrichment, Findings, Ground, Lifetime, PostingView,
        Verdict, moderation::Moderation,
    },
    store::PostingReader,
    testing::{MemoryStore, push},
    usecase::{
        Assignment, GivenUp, Outcome, assignments, give_up, ingest, moderate, record_outcomes,
    },
};

const BODY: &str = r#"{
    "title": "Cook", "raw_description": "<p>Fish.</p>", "application_url": "https://a.example",
    "location_city": "Oslo", "location_country_code": "NO",
    "company": {"name": "Acmera", "website_url": "https://acmera.example"}
}"#;
const PLACE: Coordinates = Coordinates {
    latitude: 59.9,
    longitude: 10.7,
};

struct World {
    store: MemoryStore,
    now: OffsetDateTime,
    claims: u128,
}

impl World {
    async fn new() -> Self {
        let mut world = Self {
            store: MemoryStore::new(),
            now: noon(),
            claims: 0,
        };
        world.put(BODY).await;
        world
    }

    async fn approved() -> Self {
        let mut world = Self::new().await;
        let assignment = world.assignment().await.unwrap();
        let outcome = outcome(&assignment, Verdict::Approve);
        world.record(outcome).await.unwrap();
        let view = world.view().await;
        assert_eq!(view.posting.status(), Status::Approved);
        assert_eq!(view.texts, Some(texts("Judged.")));
        assert_eq!(world.claim().await, None, "its task is done");
        world
    }

    async fn put(&mut self, body: &str) {
        self.now += hours(1);
        let answers = ingest(
            &self.store,
            &[push("a", body)],
            Lifetime::days(60),
            self.now,
        )
        .await;
        answers.unwrap().remove(0).unwrap();
    }

    async fn claim(&mut self) -> Option<(ClaimToken, PostingId)> {
        self.now += hours(1);
        self.claims += 1;
        let lease = uuid(0x1_0000 + self.claims);
        let (store, minute) = (&self.store, Duration::MINUTE);
        let mut claimed = store.claim(ENRICH, 1, minute, lease, self.now).await;
        if claimed == Ok(Vec::new()) {
            let crashed = store.claim_crashed(ENRICH, minute, lease, self.now).await;
            claimed = crashed.map(|crashed| crashed.into_iter().collect());
        }
        let task = claimed.unwrap().pop()?;
        Some((task.token, PostingId::new(task.effect.key())))
    }

    async fn assignment(&mut self) -> Option<Assignment> {
        let task = self.claim().await?;
        let assignments = assignments(&self.store, &[task], self.now).await.unwrap();
        assignments.into_iter().next()
    }

    async fn record(&mut self, outcome: Outcome) -> Result<(), StoreError> {
        self.now += hours(1);
        let store = &self.store;
        record_outcomes(store, &[outcome], Lifetime::days(60), self.now).await
    }

    async fn give_up(&mut self, assignment: &Assignment) -> bool {
        let view = self.view().await;
        self.end(GivenUp {
            token: assignment.token,
            posting: view.posting.id,
            content: Some(assignment.content),
            made: Some(made()),
            reason: "it was refused".to_owned(),
            error: "of no use".to_owned(),
        })
        .await
    }

    async fn end(&mut self, given_up: GivenUp) -> bool {
        self.now += hours(1);
        let is_dead = give_up(&self.store, &given_up, Lifetime::days(60), self.now).await;
        let is_dead = is_dead.unwrap();
        assert_eq!(self.rows(true).await.len(), usize::from(is_dead));
        is_dead
    }

    async fn moderate(&mut self, command: &Moderation) {
        self.now += hours(1);
        let (a, by, lifetime) = (identifier("a"), by_ann(1), Lifetime::days(60));
        let done = moderate(&self.store, &a, command, None, &by, lifetime, self.now);
        done.await.unwrap();
    }

    async fn view(&self) -> PostingView {
        let found = self.store.find(&identifier("a")).await.unwrap();
        found.unwrap()
    }

    async fn rows(&self, dead: bool) -> Vec<(String, Option<String>)> {
        let rows = Outbox::list(&self.store, dead, None, usize::MAX)
            .await
            .unwrap();
        let rows = rows.into_iter().filter(|row| row.kind == "enrich");
        rows.map(|row| (row.kind, row.last_error)).collect()
    }
}

fn texts(markdown: &str) -> EnrichedTexts {
    EnrichedTexts {
        markdown: markdown.to_owned(),
        redacted_markdown: "[company]".to_owned(),
        redacted_title: None,
    }
}

fn made() -> Enrichment {
    Enrichment {
        texts: texts("Kept."),
        coordinates: Some(PLACE),
        findings: Findings::default(),
        ..Enrichment::bare()
    }
}

fn outcome(assignment: &Assignment, verdict: Verdict) -> Outcome {
    Outcome {
        token: assignment.token,
        posting: assignment.submission.posting.source_identifier.clone(),
        content: assignment.content,
        enrichment: Enrichment {
            texts: texts("Judged."),
            verdict,
            ..Enrichment::bare()
        },
        trace: None,
    }
}

#[pollster::test]
async fn an_assignment_has_the_names_that_the_company_had() {
    let mut world = World::new().await;
    assert_eq!(
        world.assignment().await.unwrap().submission.former_names,
        [""; 0]
    );
    let renamed = |name: &str| BODY.replace("Acmera\"", &format!("{name}\""));
    let batch = ["Bolt", "Core"].map(|name| push(name, &renamed(name)));
    let answers = ingest(&world.store, &batch, Lifetime::NEVER, world.now).await;
    assert!(answers.unwrap().iter().all(Result::is_ok));
    let assignment = world.assignment().await.unwrap();
    assert_eq!(assignment.submission.company.name, "Core");
    assert_eq!(assignment.submission.former_names, ["Bolt", "Acmera"]);
}

#[pollster::test]
async fn ten_changes_of_only_numbers_are_churn() {
    let mut world = World::new().await;
    let text = |text: String| format!(r#"{{"raw_description": "{text}"}}"#);
    let judged = async |world: &mut World, body: &str| {
        world.put(body).await;
        let assignment = world.assignment().await.unwrap();
        let outcome = outcome(&assignment, Verdict::Approve);
        world.record(outcome).await.unwrap();
        assignment.submission.churns
    };
    judged(&mut world, &text("Fish. 0 views".to_owned())).await;
    for n in 1..=12 {
        let body = text(format!("Fish. {n} views since {n} March 2026"));
        // The first change adds words.
        assert_eq!(judged(&mut world, &body).await, n > 10, "{n}");
    }
    assert!(
        !judged(
            &mut world,
            &text("Meat. 13 views since 1 May 2026".to_owned())
        )
        .await
    );
}

#[pollster::test]
async fn a_task_that_needs_nothing_is_finished_on_the_spot() {
    let mut world = World::new().await;
    world.put(r#"{"expiration":{}}"#).await;
    assert_eq!(world.assignment().await, None);
    assert_eq!(world.claim().await, None);
}

#[pollster::test]
async fn an_outcome_for_older_content_is_asked_for_again() {
    let mut world = World::new().await;
    let old = world.assignment().await.unwrap();
    world.put(r#"{"title":"Chef"}"#).await;
    let outcome = outcome(&old, Verdict::Approve);
    world.record(outcome).await.unwrap();
    assert_eq!(
        world.view().await.posting.status(),
        Status::PendingEnrichment
    );
    let new = world.assignment().await.unwrap();
    assert_eq!(new.submission.posting.details.title, "Chef");
}

#[pollster::test]
async fn a_pending_posting_that_gets_no_judgement_stays_pending_and_says_so() {
    let mut world = World::new().await;
    let assignment = world.assignment().await.unwrap();
    assert!(world.give_up(&assignment).await);
    let after = world.view().await;
    assert_eq!(after.posting.status(), Status::PendingEnrichment);
    let reason = after.posting.status_reason();
    assert_eq!(reason, Some("enrichment_failed: it was refused"));
    assert_eq!(after.texts, Some(texts("Kept.")));
    assert_eq!(after.coordinates, Some(PLACE));
    assert_eq!(after.posting.published_at, None);
    let dead = vec![("enrich".to_owned(), Some("of no use".to_owned()))];
    assert_eq!(world.rows(true).await, dead);
    assert_eq!(world.rows(false).await, [], "no other task");
}

/// No dead letter remains, whatever happens to the enrichment afterwards.
#[pollster::test]
async fn an_operators_verdict_ends_a_dead_enrichment() {
    let reject = Moderation::Reject {
        reason: "no".to_owned(),
        ground: Ground::Terms,
    };
    for was_dead in [true, false] {
        let mut world = World::new().await;
        let first = world.assignment().await.unwrap();
        if was_dead {
            world.give_up(&first).await;
        }
        world.moderate(&reject).await;
        assert_eq!(
            (world.rows(true).await, world.rows(false).await),
            (vec![], vec![])
        );
        let late = outcome(&first, Verdict::Approve);
        assert_eq!(world.record(late).await, Err(StoreError::Conflict));

        world.moderate(&Moderation::Approve).await;
        let again = world.assignment().await.unwrap();
        assert!(!world.give_up(&again).await);
        let view = world.view().await;
        assert_eq!(view.posting.status(), Status::Approved);
        assert_eq!(view.posting.status_reason(), None);
        assert_eq!(view.texts, Some(texts("Kept.")));
        assert_eq!(world.claim().await, None);
    }
}

#[pollster::test]
async fn a_repeated_verdict_ends_an_enrichment_that_died_in_between() {
    let mut world = World::new().await;
    world.moderate(&Moderation::Approve).await;
    let first = world.assignment().await.unwrap();
    let lost = world.store.give_up(first.token, "422", world.now).await;
    assert_eq!((lost, world.rows(true).await.len()), (Ok(()), 1));
    world.moderate(&Moderation::Approve).await;
    assert_eq!(world.rows(true).await, []);
    assert!(world.assignment().await.is_some(), "it needs texts");
}

#[pollster::test]
async fn no_enrichment_dies_for_older_content_or_an_expired_posting() {
    for (body, is_due) in [
        (r#"{"title":"Chef"}"#, true),
        (r#"{"expiration":{}}"#, false),
    ] {
        let mut world = World::new().await;
        let assignment = world.assignment().await.unwrap();
        world.put(body).await;
        let before = world.view().await;
        assert!(!world.give_up(&assignment).await);
        assert_eq!(world.view().await, before, "{body}");
        assert_eq!(world.assignment().await.is_some(), is_due, "{body}");
    }
}

#[pollster::test]
async fn the_enrichment_of_a_posting_that_is_not_there_ends() {
    let mut world = World::new().await;
    let assignment = world.assignment().await.unwrap();
    let given_up = GivenUp {
        token: assignment.token,
        posting: PostingId::new(uuid(99)),
        content: Some(assignment.content),
        made: None,
        reason: String::new(),
        error: String::new(),
    };
    assert!(!world.end(given_up).await);
    assert_eq!(world.rows(false).await, []);
}

#[pollster::test]
async fn a_posting_that_killed_its_workers_keeps_what_was_judged() {
    let mut world = World::approved().await;
    let before = world.view().await;
    world.put(r#"{"raw_description":"<p>A bomb.</p>"}"#).await;
    let (token, posting) = world.claim().await.unwrap();
    let given_up = GivenUp {
        token,
        posting,
        content: None,
        made: None,
        reason: "its worker died".to_owned(),
        error: String::new(),
    };
    assert!(world.end(given_up.clone()).await);
    let after = world.view().await;
    assert_eq!(after.texts, before.texts);
    let reason = after.posting.status_reason();
    assert_eq!(reason, Some("awaiting_review: its worker died"));

    // After an operator's verdict no worker makes texts, because that worker would die, too.
    world.moderate(&Moderation::Approve).await;
    assert_eq!(world.claim().await, None);
    assert_eq!(world.view().await.posting.status_reason(), None);

    world.put(r#"{"raw_description":"<p>A mine.</p>"}"#).await;
    world.moderate(&Moderation::Approve).await;
    let (token, _) = world.claim().await.unwrap();
    assert!(!world.end(GivenUp { token, ..given_up }).await);
    assert_eq!(world.rows(false).await, []);
    assert_eq!(world.view().await.posting.status_reason(), None);
}
