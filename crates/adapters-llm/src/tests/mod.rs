mod counts;
mod drafts;
mod failures;
mod reach;
mod replies;
mod requests;
mod secrets;
mod servers;
mod transport;

use std::time::Duration;

use domain::posting::{Details, ReasonCode, Verdict};
use enrichment::{
    Brief, Draft, DraftError, EnrichError, EnrichmentInput, Feedback, MODEL_CODES, Model, Phrase,
    PhraseKind,
};
use fields::codes::CountryCode;
use serde_json::{Value, json};
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::any};

use crate::{ChatModel, ExtraBody, Prices, Settings, SettingsError};

const KEY: &str = "sesame-open-up";

const MARKDOWN: &str = "We at **Granite Owl** look for a gardener.\n\n- Full time";

fn settings(base_url: &str) -> Settings {
    Settings {
        base_url: base_url.parse().unwrap(),
        model: "small-1".to_owned(),
        api_key: Some(KEY.into()),
        // Long, for a busy machine.
        timeout: Duration::from_mins(1),
        extra_body: ExtraBody::default(),
        prices: Prices::default(),
    }
}

fn model(base_url: &str) -> ChatModel {
    model_with(base_url, |_| {})
}

fn model_with(base_url: &str, change: impl FnOnce(&mut Settings)) -> ChatModel {
    let mut settings = settings(base_url);
    change(&mut settings);
    ChatModel::new(&settings).unwrap()
}

async fn answering(answer: ResponseTemplate) -> (ChatModel, MockServer) {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(answer).mount(&server).await;
    (model(&format!("{}/v1", server.uri())), server)
}

fn titled(title: &str) -> EnrichmentInput {
    EnrichmentInput {
        title: title.to_owned(),
        ..input()
    }
}

fn input() -> EnrichmentInput {
    EnrichmentInput {
        posting: None,
        title: "Gardener".to_owned(),
        raw_description: "<p>raw</p>".into(),
        country: CountryCode::parse("NO"),
        city: Some("Oslo".to_owned()),
        company_name: "Granite Owl".to_owned(),
        other_names: Vec::new(),
        company_website: "https://granite-owl.example/jobs".to_owned(),
        application_url: None,
        details: Details::default(),
        new_domains: Vec::new(),
        churns: false,
        pushed_at: time::OffsetDateTime::UNIX_EPOCH,
    }
}

async fn draft_of(input: &EnrichmentInput, model: &ChatModel) -> Result<Draft, DraftError> {
    model.draft(&Brief::of(input, MARKDOWN), None).await
}

async fn said_of(answer: ResponseTemplate) -> Result<Draft, DraftError> {
    let (model, _server) = answering(answer).await;
    draft_of(&input(), &model).await
}

fn approval() -> Value {
    json!({
        "verdict": "approve",
        "code": null,
        "sentence": null,
        "hide": [{"text": "Granite Owl", "kind": "company"}],
    })
}

fn rejection(code: &str) -> Value {
    let mut answer = approval();
    answer["verdict"] = "reject".into();
    answer["code"] = code.into();
    answer["sentence"] = "It is a list of words.".into();
    answer["hide"] = json!([]);
    answer
}

fn saying(content: &str) -> Value {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "small-1",
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": content, "refusal": null},
            "finish_reason": "stop",
        }],
        "usage": {"prompt_tokens": 1200, "completion_tokens": 345, "total_tokens": 1545},
    })
}

fn cut(content: &str) -> Value {
    let mut answer = saying(content);
    answer["choices"][0]["finish_reason"] = "length".into();
    answer
}

fn refusal(words: &str) -> Value {
    let mut answer = saying("");
    answer["choices"][0]["message"]["refusal"] = words.into();
    answer
}

fn ok(body: &Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

async fn only_request(server: &MockServer) -> Request {
    let mut requests = server.received_requests().await.unwrap();
    assert_eq!(requests.len(), 1, "{requests:#?}");
    requests.remove(0)
}

fn feedback(result: Result<Draft, DraftError>) -> Feedback {
    match result {
        Err(DraftError::Unusable(feedback)) => feedback,
        other => panic!("{other:?}"),
    }
}

fn retry(result: Result<Draft, DraftError>) -> String {
    match result {
        Err(DraftError::Failed(EnrichError::Retry {
            message,
            after: None,
        })) => message,
        other => panic!("{other:?}"),
    }
}

fn permanent(result: Result<Draft, DraftError>) -> String {
    match result {
        Err(DraftError::Failed(EnrichError::Permanent(message))) => message,
        other => panic!("{other:?}"),
    }
}

fn unavailable(result: Result<Draft, DraftError>) -> (String, Option<Duration>) {
    match result {
        Err(DraftError::Failed(EnrichError::Unavailable { message, after })) => (message, after),
        other => panic!("{other:?}"),
    }
}
