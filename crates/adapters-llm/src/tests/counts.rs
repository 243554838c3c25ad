use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

use super::*;

const OUTCOME: &str = "posthaste_llm_requests_total{outcome=";
const IN_FLIGHT: &str = "posthaste_llm_requests_in_flight";

fn values(page: &PrometheusHandle, name: &str) -> Vec<(String, f64)> {
    let page = page.render();
    let lines = page.lines().filter_map(|line| line.strip_prefix(name));
    let values = lines.filter_map(|line| line.rsplit_once(' '));
    values
        .map(|(rest, value)| (rest.to_owned(), value.parse().unwrap()))
        .collect()
}

#[track_caller]
fn check(page: &PrometheusHandle, name: &str, expect: f64) {
    let found = values(page, name);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        (found[0].1 - expect).abs() < 1e-9,
        "{found:?} is not {expect}"
    );
}

async fn counted(answers: Vec<ResponseTemplate>) -> PrometheusHandle {
    let recorder = PrometheusBuilder::new().build_recorder();
    // The recorder applies to this thread only, and only this test uses the thread.
    let _guard = metrics::set_default_local_recorder(&recorder);
    for answer in answers {
        let (_, server) = answering(answer).await;
        let prices = Prices {
            prompt: 2.5,
            completion: 10.0,
        };
        let model = model_with(&server.uri(), |settings| settings.prices = prices);
        _ = draft_of(&input(), &model).await;
    }
    recorder.handle()
}

#[tokio::test]
async fn every_call_has_one_outcome() {
    let filtered = json!({"error": {"message": "filtered", "code": "content_filter"}});
    let status = ResponseTemplate::new;
    for (answers, expect) in [
        (vec![ok(&saying(&approval().to_string()))], "answered"),
        (
            vec![
                ok(&saying("")),
                ok(&saying("{}")),
                ok(&cut("{")),
                ok(&json!({})),
            ],
            "unusable",
        ),
        (
            vec![ok(&refusal("No.")), status(400).set_body_json(filtered)],
            "refused",
        ),
        (vec![status(429)], "limited"),
        (vec![status(401), status(403), status(402)], "denied"),
        (
            [400, 404, 500, 302]
                .map(status)
                .into_iter()
                .chain([ok(&json!({"error": "x"}))])
                .collect(),
            "failed",
        ),
    ] {
        let calls = u32::try_from(answers.len()).unwrap().into();
        let page = counted(answers).await;
        assert_eq!(values(&page, OUTCOME), [(format!("{expect:?}}}"), calls)]);
        check(&page, "posthaste_llm_request_seconds_count", calls);
        check(&page, IN_FLIGHT, 0.0);
    }
}

#[tokio::test]
async fn calls_under_way_are_counted_until_they_end_or_are_abandoned() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let page = recorder.handle();
    let _guard = metrics::set_default_local_recorder(&recorder);
    let (model, server) = answering(ok(&json!({})).set_delay(Duration::from_mins(1))).await;
    let input = input();
    let arrived = async {
        while server.received_requests().await.unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        check(&page, IN_FLIGHT, 1.0);
    };
    tokio::select! {
        _ = draft_of(&input, &model) => panic!("the answer takes a minute"),
        () = arrived => {}
    }
    check(&page, IN_FLIGHT, 0.0);
    assert_eq!(values(&page, OUTCOME), []);

    let short = Duration::from_millis(100);
    let model = model_with(&server.uri(), |settings| settings.timeout = short);
    draft_of(&input, &model).await.unwrap_err();
    check(&page, IN_FLIGHT, 0.0);
    assert_eq!(values(&page, OUTCOME), [("\"timeout\"}".to_owned(), 1.0)]);
}

#[tokio::test]
async fn tokens_and_cost_are_counted_for_every_outcome() {
    let mut free = saying(&approval().to_string());
    free["usage"] = Value::Null;
    let page = counted(vec![
        ok(&saying(&approval().to_string())),
        ok(&saying("not JSON")),
        ok(&refusal("No.")),
        ok(&free),
        ResponseTemplate::new(500),
    ])
    .await;
    check(
        &page,
        "posthaste_llm_tokens_total{direction=\"prompt\"}",
        3.0 * 1200.0,
    );
    check(
        &page,
        "posthaste_llm_tokens_total{direction=\"completion\"}",
        3.0 * 345.0,
    );
    let each = 1200.0 * 2.5 / 1e6 + 345.0 * 10.0 / 1e6;
    check(&page, "posthaste_llm_cost", 3.0 * each);
}
