//! Models around a scripted one, in virtual time.

use domain::enrichment::{
    Brief, Draft, DraftCache as _, DraftKey, EnrichError, Enricher as _, Enrichment,
    EnrichmentInput, Phrase, PhraseKind, RuleEnricher as _, StopFlag, Verdict,
};
use futures_util::future::join_all;
use kernel::{StoreError, testing::noon};
use tokio::time::{Instant, sleep, timeout};

use super::*;
use crate::testing::{Answer, MemoryDrafts, ScriptedModel};

const SECOND: Duration = Duration::from_secs(1);

/// A test bench: an enricher with a scripted model, on the runtime's virtual time.
struct Bench {
    model: Arc<ScriptedModel>,
    drafts: Arc<MemoryDrafts>,
    breaker: Arc<ModelBreaker>,
    enricher: Pipeline,
}

impl Bench {
    fn new() -> Self {
        let model = Arc::new(ScriptedModel::default());
        let drafts = Arc::new(MemoryDrafts::default());
        let breaker = Arc::new(ModelBreaker::default());
        let start = Instant::now();
        let clock: Clock = Arc::new(move || kernel::microseconds(noon() + start.elapsed()));
        let with_breaker = BreakerModel::new(Arc::clone(&model) as _, Arc::clone(&breaker));
        Self {
            enricher: Pipeline::with_model(Arc::new(TextRules), Arc::new(with_breaker))
                .paying_once(Arc::clone(&drafts) as _, Arc::new(TokioRuntime(clock))),
            model,
            drafts,
            breaker,
        }
    }

    /// How many calls were made.
    fn calls(&self) -> usize {
        self.model.calls().len()
    }

    async fn enrich(&self, input: &EnrichmentInput) -> Result<Enrichment, EnrichError> {
        self.enricher.enrich(input, &StopFlag::default()).await
    }

    /// Keeps something in the place of a draft.
    async fn keep(&self, input: &EnrichmentInput, draft: &str) {
        let prepared = TextRules.prepare(input, &StopFlag::default()).unwrap();
        let brief = Brief::of(input, &prepared.texts.markdown);
        let key = DraftKey::of(self.model.edition(), &brief);
        self.drafts.keep(&key, draft, None, noon()).await.unwrap();
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
        raw_description: "<p>Plan bridges with a small team, and see to it that they stand. \
                          You have built some before.</p>"
            .into(),
        country: None,
        city: None,
        company_name: "Harbourpine".to_owned(),
        other_names: Vec::new(),
        company_website: "https://harbourpine.example".to_owned(),
        application_url: None,
    }
}

fn away(after: Option<Duration>) -> Answer {
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
async fn fifty_alike_at_once_are_one_call() {
    let bench = Bench::new();
    *bench.model.takes.lock().unwrap() = 100 * SECOND;
    let input = input("Engineer");
    let results = join_all((0..50).map(|_| bench.enrich(&input))).await;
    let first = results[0].clone().unwrap();
    assert!(results.iter().all(|result| result.as_ref() == Ok(&first)));
    assert_eq!(bench.calls(), 1);
    assert_eq!(bench.drafts.kept().len(), 1);
    // Another day, another process: nothing more is paid for.
    assert_eq!(bench.enrich(&input).await, Ok(first));
    assert_eq!(bench.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_slow_call_holds_its_reservation() {
    let bench = Bench::new();
    *bench.model.takes.lock().unwrap() = 95 * SECOND;
    let input = input("Engineer");
    let start = Instant::now();
    let (one, other) = tokio::join!(bench.enrich(&input), bench.enrich(&input));
    assert!(one.is_ok() && other.is_ok());
    assert_eq!(bench.calls(), 1);
    assert!(start.elapsed() < 96 * SECOND, "{:?}", start.elapsed());
    let grants: Vec<_> = bench.drafts.grants().into_values().collect();
    assert_eq!(grants, [10], "one to begin, and one each ten seconds");
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_is_next_when_a_call_fails() {
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
    // Two calls of two seconds, and half a second until it is noticed.
    assert!(start.elapsed() < 5 * SECOND, "{:?}", start.elapsed());
    assert_eq!(bench.drafts.kept().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_is_next_when_a_holder_vanishes() {
    let bench = Bench::new();
    bench.model.answer(Answer::Hang);
    let input = input("Engineer");
    let vanishing = timeout(15 * SECOND, bench.enrich(&input));
    assert!(vanishing.await.is_err());
    bench.model.relent();
    let start = Instant::now();
    assert!(bench.enrich(&input).await.is_ok());
    // It renewed its reservation five seconds before it vanished.
    let took = start.elapsed();
    assert!(took >= 26 * SECOND && took <= 28 * SECOND, "{took:?}");
    assert_eq!(bench.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_kept_draft_at_fault_is_paid_for_again() {
    let bench = Bench::new();
    let input = input("Engineer");
    bench
        .keep(
            &input,
            r#"{"verdict":"approve","hide":[{"text":"Bergen","kind":"address"}]}"#,
        )
        .await;
    bench.approve("Engineer").await;
    let objections: Vec<_> = bench.model.calls();
    let objections: Vec<_> = objections.iter().map(|call| call.has_objection).collect();
    assert_eq!(objections, [true], "the kept draft was the first answer");
    assert_eq!(bench.drafts.kept(), [r#"{"verdict":"approve","hide":[]}"#]);
    bench.approve("Engineer").await;
    assert_eq!(bench.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_kept_draft_that_nobody_can_read_is_replaced() {
    let bench = Bench::new();
    let input = input("Engineer");
    let of_another_version = r#"{"markdown":"a","redacted_markdown":"b","verdict":"approve"}"#;
    bench.keep(&input, of_another_version).await;
    bench.approve("Engineer").await;
    assert_eq!(bench.calls(), 1);
    assert!(Draft::from_json(&bench.drafts.kept()[0]).is_some());
}

#[tokio::test(start_paused = true)]
async fn markup_alone_costs_nothing() {
    let bench = Bench::new();
    bench.approve("Engineer").await;
    let mut other = input("Engineer");
    let marked_up = other.raw_description.replace("<p>", "<p class=\"x\"> ");
    other.raw_description = marked_up.replace("small team", "small  team").into();
    assert!(bench.enrich(&other).await.is_ok());
    assert_eq!(bench.calls(), 1);
    other.raw_description = other.raw_description.replace("small", "large").into();
    assert!(bench.enrich(&other).await.is_ok());
    assert_eq!(bench.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_model_hides_what_rules_do_not_find() {
    let bench = Bench::new();
    let phrase = |text: &str, kind| Phrase {
        text: text.to_owned(),
        kind,
    };
    *bench.model.hide.lock().unwrap() = vec![
        phrase("Ada Lee", PhraseKind::Person),
        phrase("the Boxwood", PhraseKind::Address),
    ];
    let mut input = input("Engineer");
    input.raw_description =
        "<p>Plan bridges with <b>Ada</b> Lee at Harbourpine, near the Boxwood, \
                             and see to it that they stand.</p>"
            .into();
    let texts = bench.enrich(&input).await.unwrap().texts;
    assert_eq!(
        texts.markdown,
        "Plan bridges with **Ada** Lee at Harbourpine, near the Boxwood, and see to it that they \
         stand."
    );
    assert_eq!(
        texts.redacted_markdown,
        "Plan bridges with **[person]** at [company], near [address], and see to it that they \
         stand."
    );
}

#[tokio::test(start_paused = true)]
async fn nobody_is_called_while_drafts_cannot_be_looked_up() {
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
async fn a_store_that_goes_away_during_a_call_costs_no_answer() {
    let bench = Bench::new();
    *bench.model.takes.lock().unwrap() = 60 * SECOND;
    let input = input("Engineer");
    let trouble = async {
        sleep(5 * SECOND).await;
        bench
            .drafts
            .fail(Some(StoreError::Unavailable("gone".to_owned())));
        // A moment after the answer: keeping it is tried again.
        sleep(Duration::from_millis(55_100)).await;
        bench.drafts.fail(None);
    };
    let (result, ()) = tokio::join!(bench.enrich(&input), trouble);
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(bench.drafts.kept().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_breaker_that_is_open_keeps_calls_away() {
    let bench = Bench::new();
    bench.model.answer(away(Some(90 * SECOND)));
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
    assert_eq!(message, "the enricher is left alone");
    assert_eq!(after, Some(90 * SECOND));
    assert_eq!(bench.calls(), 1);
    sleep(90 * SECOND).await;
    bench.approve("Engineer").await;
    assert!(bench.breaker.begin().is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_no_use_leaves_the_breaker_closed() {
    let bench = Bench::new();
    for answer in [Answer::Unusable, busy(), Answer::Approve] {
        bench.model.answer(answer.clone());
        let _ = bench.enrich(&input("Engineer")).await;
        assert!(bench.breaker.begin().is_ok(), "{answer:?}");
    }
}
