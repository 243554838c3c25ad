//! What is counted.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit,
};

use super::*;

/// Holds what was counted, by name and labels.
#[derive(Clone, Default)]
struct Ledger {
    values: Arc<Mutex<BTreeMap<String, f64>>>,
    described: Arc<Mutex<BTreeSet<String>>>,
}

/// One line of it.
struct Line {
    ledger: Ledger,
    name: String,
}

impl Ledger {
    fn line(&self, key: &Key) -> Arc<Line> {
        let labels = key
            .labels()
            .map(|label| format!("{}={}", label.key(), label.value()));
        let labels: Vec<_> = labels.collect();
        Arc::new(Line {
            ledger: self.clone(),
            name: [key.name(), &labels.join(",")]
                .join(" ")
                .trim_end()
                .to_owned(),
        })
    }

    fn describe(&self, key: &KeyName) {
        self.described
            .lock()
            .unwrap()
            .insert(key.as_str().to_owned());
    }

    fn value(&self, name: &str) -> f64 {
        self.values
            .lock()
            .unwrap()
            .get(name)
            .copied()
            .unwrap_or_default()
    }

    /// The outcomes that were counted, and how often.
    fn outcomes(&self) -> Vec<(String, f64)> {
        let values = self.values.lock().unwrap();
        let outcomes = values.iter().filter_map(|(name, value)| {
            let outcome = name.strip_prefix("posthaste_llm_requests_total outcome=")?;
            Some((outcome.to_owned(), *value))
        });
        outcomes.collect()
    }
}

impl Line {
    fn add(&self, value: f64) {
        let mut values = self.ledger.values.lock().unwrap();
        *values.entry(self.name.clone()).or_default() += value;
    }
}

impl CounterFn for Line {
    fn increment(&self, value: u64) {
        self.add(u32::try_from(value).unwrap().into());
    }

    fn absolute(&self, _value: u64) {
        unreachable!("nothing is set");
    }
}

impl GaugeFn for Line {
    fn increment(&self, value: f64) {
        self.add(value);
    }

    fn decrement(&self, value: f64) {
        self.add(-value);
    }

    fn set(&self, _value: f64) {
        unreachable!("nothing is set");
    }
}

impl HistogramFn for Line {
    fn record(&self, _value: f64) {
        self.add(1.0);
    }
}

impl Recorder for Ledger {
    fn describe_counter(&self, key: KeyName, _: Option<Unit>, _: SharedString) {
        self.describe(&key);
    }

    fn describe_gauge(&self, key: KeyName, _: Option<Unit>, _: SharedString) {
        self.describe(&key);
    }

    fn describe_histogram(&self, key: KeyName, _: Option<Unit>, _: SharedString) {
        self.describe(&key);
    }

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.line(key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.line(key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.line(key))
    }
}

/// Counts what these answers are counted as, each asked for once.
async fn counted(answers: Vec<ResponseTemplate>) -> Ledger {
    let ledger = Ledger::default();
    // The recorder is the thread's, and the test has only this one.
    let _guard = metrics::set_default_local_recorder(&ledger);
    for answer in answers {
        let (_, server) = answering(answer).await;
        let settings = Settings {
            prices: Prices {
                prompt: 2.5,
                completion: 10.0,
            },
            ..settings(&server.uri())
        };
        _ = draft_of(&input(), &ChatModel::new(&settings).unwrap()).await;
    }
    ledger.clone()
}

#[tokio::test]
async fn every_call_has_one_outcome() {
    let mut cut = saying("{");
    cut["choices"][0]["finish_reason"] = "length".into();
    let mut refusal = saying("");
    refusal["choices"][0]["message"]["refusal"] = "No.".into();
    let filtered = json!({"error": {"message": "filtered", "code": "content_filter"}});
    let status = ResponseTemplate::new;
    for (answers, expect) in [
        (vec![ok(&saying(&approval().to_string()))], "answered"),
        (
            vec![ok(&saying("")), ok(&saying("{}")), ok(&cut), ok(&json!({}))],
            "unusable",
        ),
        (
            vec![ok(&refusal), status(400).set_body_json(filtered)],
            "refused",
        ),
        (vec![status(429)], "limited"),
        (vec![status(401), status(403), status(402)], "denied"),
        (
            vec![
                status(400),
                status(404),
                status(500),
                status(302),
                ok(&json!({"error": "x"})),
            ],
            "failed",
        ),
    ] {
        let calls = u32::try_from(answers.len()).unwrap().into();
        let ledger = counted(answers).await;
        assert_eq!(ledger.outcomes(), [(expect.to_owned(), calls)]);
        assert_close(ledger.value("posthaste_llm_request_seconds"), calls);
        assert_close(ledger.value("posthaste_llm_requests_in_flight"), 0.0);
    }
}

fn assert_close(value: f64, expect: f64) {
    assert!((value - expect).abs() < 1e-9, "{value} is not {expect}");
}

#[tokio::test]
async fn calls_under_way_are_counted_until_they_end_or_are_abandoned() {
    let ledger = Ledger::default();
    let _guard = metrics::set_default_local_recorder(&ledger);
    let (_, server) = answering(ok(&json!({})).set_delay(Duration::from_mins(1))).await;
    let in_flight = || ledger.value("posthaste_llm_requests_in_flight");

    let (model, input) = (model(&server.uri()), input());
    let call = draft_of(&input, &model);
    let arrived = async {
        while server.received_requests().await.unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_close(in_flight(), 1.0);
    };
    tokio::select! {
        _ = call => panic!("the answer is a minute away"),
        () = arrived => {}
    }
    assert_close(in_flight(), 0.0);
    assert_eq!(ledger.outcomes(), []);

    let settings = Settings {
        timeout: Duration::from_millis(100),
        ..settings(&server.uri())
    };
    let model = ChatModel::new(&settings).unwrap();
    draft_of(&input, &model).await.unwrap_err();
    assert_close(in_flight(), 0.0);
    assert_eq!(ledger.outcomes(), [("timeout".to_owned(), 1.0)]);
}

#[tokio::test]
async fn tokens_and_money_are_counted_for_whatever_came_of_them() {
    let mut refusal = saying("");
    refusal["choices"][0]["message"]["refusal"] = "No.".into();
    let mut free = saying(&approval().to_string());
    free["usage"] = Value::Null;
    let ledger = counted(vec![
        ok(&saying(&approval().to_string())),
        ok(&saying("not JSON")),
        ok(&refusal),
        ok(&free),
        ResponseTemplate::new(500),
    ])
    .await;
    let tokens =
        |direction| ledger.value(&format!("posthaste_llm_tokens_total direction={direction}"));
    assert_close(tokens("prompt"), 3.0 * 1200.0);
    assert_close(tokens("completion"), 3.0 * 345.0);
    let each = 1200.0 * 2.5 / 1e6 + 345.0 * 10.0 / 1e6;
    assert_close(ledger.value("posthaste_llm_cost_total"), 3.0 * each);
}

#[tokio::test]
async fn everything_that_is_counted_is_described() {
    let ledger = counted(vec![ok(&saying(&approval().to_string()))]).await;
    metrics::with_local_recorder(&ledger, crate::describe_metrics);
    let values = ledger.values.lock().unwrap();
    let counted: BTreeSet<_> = values
        .keys()
        .map(|name| name.split(' ').next().unwrap().to_owned())
        .collect();
    assert_eq!(counted, *ledger.described.lock().unwrap());
}
