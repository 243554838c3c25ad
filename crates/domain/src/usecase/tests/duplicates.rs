//! Duplicates, as outcomes of enrichment find them.

use crate::{
    client::Prefixes,
    company::{CompanyId, Website},
    enrichment::{EnrichedTexts, Enrichment, ReasonCode, Sketch, Verdict},
    event::{EventLog, LogQuery, Subject},
    outbox::Outbox,
    posting::{ENRICH, Lifetime, PostingId, duplicate::Fingerprint, event::JOB_POSTING_ENRICHED},
    store::Store,
    testing::{MemoryStore, hours, identifier, noon, push, uuid},
    usecase::{Assignment, Outcome, assignments, ingest, record_outcomes},
};

/// A board whose postings are judged when the test says so.
struct Board {
    store: MemoryStore,
    /// What is claimed and not judged yet.
    assignments: Vec<Assignment>,
    claims: u128,
}

impl Board {
    fn new() -> Self {
        Self {
            store: MemoryStore::new(),
            assignments: Vec::new(),
            claims: 0,
        }
    }

    /// Pushes a posting of the company in this city.
    async fn push(&mut self, name: &str, city: &str) {
        let body = format!(
            r#"{{"title": "Cook", "raw_description": "Fish.", "location_city": "{city}",
                "application_url": "https://a.example",
                "company": {{"name": "Acmera", "website_url": "https://acmera.example"}}}}"#
        );
        self.put(name, &body).await;
    }

    async fn put(&mut self, name: &str, body: &str) {
        let mut put = push(name, body);
        put.new_id = PostingId::new(uuid(name.as_bytes()[0].into()));
        let answers = ingest(&self.store, &[put], Lifetime::NEVER, noon()).await;
        answers.unwrap().remove(0).unwrap();
        self.claims += 1;
        let (lease, later) = (uuid(0x1_0000 + self.claims), noon() + hours(1));
        let claimed = self.store.claim(ENRICH, 9, hours(9), lease, later).await;
        let claimed = claimed.unwrap();
        let tasks = claimed
            .iter()
            .map(|task| (task.receipt, PostingId::new(task.effect.key())));
        let tasks: Vec<_> = tasks.collect();
        let assigned = assignments(&self.store, &tasks, later).await.unwrap();
        self.assignments.extend(assigned);
    }

    /// Judges these postings in one commit, with the sketches of their texts.
    async fn judge(&mut self, postings: &[(&str, u16)], verdict: &Verdict) {
        let outcomes = postings.iter().map(|(name, text)| {
            let is_of = |assignment: &Assignment| assignment.posting == identifier(name);
            let at = self.assignments.iter().position(is_of).unwrap();
            let Assignment {
                receipt,
                posting,
                content,
                ..
            } = self.assignments.remove(at);
            Outcome {
                receipt,
                posting,
                content,
                enrichment: Enrichment {
                    texts: EnrichedTexts::default(),
                    coordinates: None,
                    verdict: verdict.clone(),
                    sketch: Some(sketch(*text)),
                },
                trace: None,
            }
        });
        let outcomes: Vec<_> = outcomes.collect();
        let recorded = record_outcomes(&self.store, &outcomes, Lifetime::NEVER, noon()).await;
        recorded.unwrap();
    }

    async fn approve(&mut self, postings: &[(&str, u16)]) {
        self.judge(postings, &Verdict::Approve).await;
    }

    /// The postings that are marked, with their originals.
    async fn marks(&self) -> Vec<(String, String)> {
        let names = ["a", "b", "c"].map(identifier);
        let known = self.store.load(&names, &[]).await.unwrap();
        let identifiers = known.identifiers();
        let marked = names.iter().filter_map(|name| {
            let original = known.postings.get(name)?.duplicate_of?;
            Some((name.to_string(), identifiers[&original].to_string()))
        });
        marked.collect()
    }

    async fn assert_marked(&self, expect: &[(&str, &str)]) {
        let expect = expect
            .iter()
            .map(|(one, other)| ((*one).to_owned(), (*other).to_owned()));
        assert_eq!(self.marks().await, expect.collect::<Vec<_>>());
    }

    /// The postings of the events of a kind.
    async fn told(&self) -> Vec<String> {
        let query = LogQuery {
            after: None,
            names: vec![JOB_POSTING_ENRICHED],
            prefixes: Prefixes::ALL,
            limit: 99,
        };
        let page = self.store.read(&query).await;
        let subjects = page.unwrap().events.into_iter().map(|it| it.event.subject);
        let names = subjects.filter_map(|subject| match subject {
            Subject::Posting(posting) => Some(posting.source_identifier.to_string()),
            _ => None,
        });
        names.collect()
    }
}

/// The sketch of a text.
fn sketch(text: u16) -> Sketch {
    Sketch::new(std::array::from_fn(|_| text))
}

fn rejection() -> Verdict {
    Verdict::Reject {
        code: ReasonCode::Spam,
        text: "Spam.".to_owned(),
    }
}

#[test]
fn copies_of_one_batch_are_marked_with_the_oldest() {
    pollster::block_on(async {
        let mut board = Board::new();
        for (name, city) in [("a", "Oslo"), ("b", "Oslo"), ("c", "Bergen")] {
            board.push(name, city).await;
        }
        board.approve(&[("c", 1), ("b", 1), ("a", 1)]).await;
        board.assert_marked(&[("b", "a")]).await;
        assert_eq!(board.told().await, [""; 0]);
    });
}

#[test]
fn a_copy_that_was_judged_first_is_marked_when_the_older_one_is() {
    pollster::block_on(async {
        let mut board = Board::new();
        for name in ["a", "b", "c"] {
            board.push(name, "Oslo").await;
        }
        board.approve(&[("c", 1)]).await;
        board.approve(&[("b", 1)]).await;
        board.assert_marked(&[("c", "b")]).await;
        board.approve(&[("a", 1)]).await;
        board.assert_marked(&[("b", "a"), ("c", "a")]).await;
        assert_eq!(board.told().await, ["c", "b", "c"]);
    });
}

#[test]
fn an_outcome_moves_or_clears_the_mark() {
    pollster::block_on(async {
        let mut board = Board::new();
        for name in ["a", "b", "c"] {
            board.push(name, "Oslo").await;
        }
        board.approve(&[("a", 1), ("b", 1), ("c", 1)]).await;
        board.assert_marked(&[("b", "a"), ("c", "a")]).await;
        // An expired original is none any more, but the marks stand until the next outcomes.
        board.put("a", r#"{"expiration":{}}"#).await;
        board.assert_marked(&[("b", "a"), ("c", "a")]).await;
        board.put("b", r#"{"raw_description":"More."}"#).await;
        board.approve(&[("b", 1)]).await;
        board.put("c", r#"{"raw_description":"More."}"#).await;
        board.approve(&[("c", 1)]).await;
        board.assert_marked(&[("c", "b")]).await;
        // Another text is no duplicate.
        board.put("c", r#"{"raw_description":"Less."}"#).await;
        board.approve(&[("c", 2)]).await;
        board.assert_marked(&[]).await;
    });
}

#[test]
fn a_rejected_posting_is_neither_copy_nor_original() {
    pollster::block_on(async {
        let mut board = Board::new();
        for name in ["a", "b", "c"] {
            board.push(name, "Oslo").await;
        }
        board.judge(&[("a", 1)], &rejection()).await;
        board.approve(&[("b", 1)]).await;
        board.assert_marked(&[]).await;
        board.judge(&[("c", 1)], &rejection()).await;
        board.assert_marked(&[]).await;
    });
}

/// Otherwise the oldest of a band could all be postings that are gone.
#[test]
fn fingerprints_of_postings_that_are_gone_are_forgotten() {
    pollster::block_on(async {
        let mut board = Board::new();
        for name in ["a", "b"] {
            board.push(name, "Oslo").await;
        }
        board.approve(&[("a", 1)]).await;
        let known = board.store.load(&[identifier("a")], &[]).await.unwrap();
        let website = Website::parse("https://acmera.example").unwrap();
        let details = &known.postings[&identifier("a")].details;
        let fingerprint = Fingerprint::of(details, CompanyId::of(&website), sketch(1));
        let near = async |board: &Board| {
            let near = board.store.near(std::slice::from_ref(&fingerprint)).await;
            let names = near
                .unwrap()
                .into_iter()
                .map(|it| it.source_identifier.to_string());
            names.collect::<Vec<_>>()
        };
        board.put("a", r#"{"expiration":{}}"#).await;
        assert_eq!(near(&board).await, ["a"]);
        board.approve(&[("b", 1)]).await;
        assert_eq!(near(&board).await, ["b"]);
    });
}
