use std::time::Duration;

use domain::posting::{Details, Enrichment, Verdict};
use enrichment::{
    Brief, Draft, DraftKey, EnrichError, EnrichmentInput, StopFlag, testing::MemoryDrafts,
};
use futures_util::future::join_all;
use kernel::{StoreError, testing::noon};
use tokio::time::{Instant, sleep, timeout};

use super::*;
use crate::testing::{Answer, ScriptedModel};

const SECOND: Duration = Duration::from_secs(1);

const DESCRIPTION: &str = "Plan bridges with a small team, and see to it that they stand. You have \
                           built some before.";

struct Bench {
    model: Arc<ScriptedModel>,
    drafts: Arc<MemoryDrafts>,
    enriching: Enriching,
}

impl Bench {
    fn new() -> Self {
        let model = Arc::new(ScriptedModel::default());
        let drafts = Arc::new(MemoryDrafts::default());
        let start = Instant::now();
        let clock: Clock = Arc::new(move || fields::microseconds(noon() + start.elapsed()));
        let cache: Arc<dyn DraftCache> = Arc::clone(&drafts) as _;
        Self {
            enriching: enriching(Some(Arc::clone(&model) as _), &cache, &clock),
            model,
            drafts,
        }
    }

    fn calls(&self) -> usize {
        self.model.calls().len()
    }

    async fn enrich(&self, input: &EnrichmentInput) -> Result<Enrichment, EnrichError> {
        let enricher = &self.enriching.enricher;
        enricher.enrich(input, &StopFlag::default()).await
    }

    async fn approve(&self, title: &str) {
        let enrichment = self.enrich(&input(title)).await.unwrap();
        assert_eq!(enrichment.verdict, Verdict::Approve);
    }
}

fn input(title: &str) -> EnrichmentInput {
    EnrichmentInput {
        posting: None,
        title: title.to_owned(),
        raw_description: format!("<p>{DESCRIPTION}</p>").into(),
        country: None,
        city: None,
        company_name: "Harbourpine".to_owned(),
        other_names: Vec::new(),
        company_website: "https://harbourpine.example".to_owned(),
        application_url: None,
        details: Details::default(),
        new_domains: Vec::new(),
        churns: false,
        pushed_at: time::OffsetDateTime::UNIX_EPOCH,
    }
}

fn unavailable(after: Option<Duration>) -> Answer {
    Answer::Fail(EnrichError::Unavailable {
        message: "connection refused".to_owned(),
        after,
    })
}

fn busy() -> Answer {
    Answer::Fail(EnrichError::Retry {
        message: "busy".to_owned(),
        after: None,
    })
}

#[tokio::test(start_paused = true)]
async fn fifty_alike_at_once_are_one_call_that_holds_its_reservation() {
    let bench = Bench::new();
    *bench.model.takes.lock().unwrap() = 95 * SECOND;
    let (start, input) = (Instant::now(), input("Engineer"));
    let results = join_all((0..50).map(|_| bench.enrich(&input))).await;
    assert!(start.elapsed() < 96 * SECOND, "{:?}", start.elapsed());
    let first = results[0].clone().unwrap();
    assert!(results.iter().all(|result| result.as_ref() == Ok(&first)));
    let grants: Vec<_> = bench.drafts.grants().into_values().collect();
    assert_eq!(grants, [10], "one to begin, and one each ten seconds");
    assert_eq!(bench.drafts.kept().len(), 1);
    // Another process, on another day, with other markup, pays nothing more.
    let marked_up = format!("<p class=\"x\"> {}</p>", DESCRIPTION.replace(' ', "  "));
    let again = EnrichmentInput {
        raw_description: marked_up.into(),
        ..input
    };
    assert_eq!(bench.enrich(&again).await, Ok(first));
    assert_eq!(bench.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_waiting_process_is_next_when_a_call_fails() {
    let bench = Bench::new();
    bench.model.answer(busy());
    let input = input("Engineer");
    let first = async {
        let result = bench.enrich(&input).await;
        bench.model.relent();
        result
    };
    let start = Instant::now();
    let (first, second) = tokio::join!(first, bench.enrich(&input));
    assert!(matches!(first, Err(EnrichError::Retry { .. })), "{first:?}");
    assert!(second.is_ok(), "{second:?}");
    assert_eq!(bench.calls(), 2);
    // Two calls of two seconds, and half a second until the other process notices.
    assert!(start.elapsed() < 5 * SECOND, "{:?}", start.elapsed());
    assert_eq!(bench.drafts.kept().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_waiting_process_is_next_when_a_holder_vanishes() {
    let bench = Bench::new();
    bench.model.answer(Answer::Hang);
    let input = input("Engineer");
    let vanishing = timeout(15 * SECOND, bench.enrich(&input));
    assert!(vanishing.await.is_err());
    bench.model.relent();
    let start = Instant::now();
    assert!(bench.enrich(&input).await.is_ok());
    // The holder renewed the reservation five seconds before it vanished.
    let took = start.elapsed();
    assert!(took >= 26 * SECOND && took <= 28 * SECOND, "{took:?}");
    assert_eq!(bench.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_kept_draft_of_no_use_is_replaced() {
    let at_fault = r#"{"verdict":"approve","hide":[{"text":"Bergen","kind":"address"}]}"#;
    let of_another_version = r#"{"markdown":"a","redacted_markdown":"b","verdict":"approve"}"#;
    for (kept, has_feedback) in [(at_fault, true), (of_another_version, false)] {
        let bench = Bench::new();
        let input = input("Engineer");
        let brief = Brief::of(&input, DESCRIPTION);
        let key = DraftKey::of(bench.model.version(), &brief);
        bench.drafts.keep(&key, kept, None, noon()).await.unwrap();
        for _ in 0..2 {
            bench.approve("Engineer").await;
            let calls = bench.model.calls();
            let feedback: Vec<_> = calls.iter().map(|call| call.has_feedback).collect();
            assert_eq!(feedback, [has_feedback], "{kept}");
        }
        assert!(Draft::from_json(&bench.drafts.kept()[0]).is_some());
        assert_ne!(bench.drafts.kept(), [kept]);
    }
}

#[tokio::test(start_paused = true)]
async fn no_model_is_called_while_drafts_cannot_be_looked_up() {
    let bench = Bench::new();
    let failure = StoreError::Unavailable("gone".to_owned());
    bench.drafts.fail(Some(failure));
    let result = bench.enrich(&input("Engineer")).await;
    let message = "drafts cannot be looked up: ";
    assert!(
        matches!(&result, Err(EnrichError::Retry { message: said, .. }) if said.starts_with(message)),
        "{result:?}"
    );
    assert_eq!(bench.calls(), 0);
    bench.drafts.fail(None);
    bench.approve("Engineer").await;
}

#[tokio::test(start_paused = true)]
async fn an_outage_of_the_store_during_a_call_costs_no_answer() {
    let bench = Bench::new();
    *bench.model.takes.lock().unwrap() = 60 * SECOND;
    let input = input("Engineer");
    let trouble = async {
        sleep(5 * SECOND).await;
        bench
            .drafts
            .fail(Some(StoreError::Unavailable("gone".to_owned())));
        // The store recovers shortly after the model's answer.
        sleep(Duration::from_millis(55_100)).await;
        bench.drafts.fail(None);
    };
    let (result, ()) = tokio::join!(bench.enrich(&input), trouble);
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(bench.drafts.kept().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_open_breaker_allows_no_call() {
    let bench = Bench::new();
    bench.model.answer(unavailable(Some(90 * SECOND)));
    let refused = bench.enrich(&input("Engineer")).await;
    assert!(
        matches!(&refused, Err(EnrichError::Unavailable { message, .. }) if message == "connection refused"),
        "{refused:?}"
    );
    bench.model.relent();
    let too_late = bench.enrich(&input("Chief engineer")).await;
    let Err(EnrichError::Unavailable { message, after }) = too_late else {
        panic!("{too_late:?}")
    };
    assert_eq!(message, "the enricher is paused");
    assert_eq!(after, Some(90 * SECOND));
    assert_eq!(bench.calls(), 1);
    sleep(90 * SECOND).await;
    bench.approve("Engineer").await;
    assert!(bench.enriching.breaker.begin().is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_no_use_leaves_the_breaker_closed() {
    let bench = Bench::new();
    for answer in [Answer::Unusable, busy(), Answer::Approve] {
        bench.model.answer(answer.clone());
        let _ = bench.enrich(&input("Engineer")).await;
        assert!(bench.enriching.breaker.begin().is_ok(), "{answer:?}");
    }
}
