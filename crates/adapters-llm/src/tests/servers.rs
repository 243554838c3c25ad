//! Endpoints that differ in what they take, and how a request is mended for them. How each words a
//! refusal is tested beside the dialect.

use wiremock::Respond;

use super::*;

/// An answer to a request, as a server gives it.
type Manner = fn(&Value) -> ResponseTemplate;

/// A server with a manner.
struct Mannered(Manner);

impl Respond for Mannered {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let body = request.body_json().unwrap();
        (self.0)(&body)
    }
}

/// A server of this manner.
async fn serving(manner: Manner) -> MockServer {
    let server = MockServer::start().await;
    let mock = Mock::given(any()).respond_with(Mannered(manner));
    mock.mount(&server).await;
    server
}

fn approved() -> ResponseTemplate {
    ok(&saying(&approval().to_string()))
}

fn refuse(status: u16, body: &Value) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(body)
}

/// A refusal in the form of `OpenAI`.
fn refuse_like_openai(message: &str, param: Option<&str>, code: Option<&str>) -> ResponseTemplate {
    let error = json!({
        "message": message,
        "type": "invalid_request_error",
        "param": param,
        "code": code,
    });
    refuse(400, &json!({"error": error}))
}

/// A refusal of a field in the form of `FastAPI`, which repeats what was sent.
fn forbidden(body: &Value, field: &str) -> Value {
    json!({
        "type": "extra_forbidden",
        "loc": ["body", field],
        "msg": "Extra inputs are not permitted",
        "input": body[field],
    })
}

/// Asks a server of this manner about two postings, and returns what was sent.
async fn sent_to(manner: Manner) -> Vec<Value> {
    let server = serving(manner).await;
    let model = model(&server.uri());
    for title in ["Gardener", "Keeper of owls"] {
        let title = title.to_owned();
        let draft = draft_of(&EnrichmentInput { title, ..input() }, &model).await;
        assert_eq!(draft.unwrap().verdict, Verdict::Approve);
    }
    let requests = server.received_requests().await.unwrap();
    requests
        .iter()
        .map(|request| request.body_json().unwrap())
        .collect()
}

/// The parameters of a request: format, limits and temperature.
fn form(body: &Value) -> String {
    let format = body["response_format"]["type"].as_str().unwrap_or("-");
    let names = ["max_completion_tokens", "max_tokens", "temperature"];
    let there = names
        .into_iter()
        .filter(|name| body.get(*name).is_some_and(|value| !value.is_null()));
    [format]
        .into_iter()
        .chain(there)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Checks the form of each request: those that it took to learn, and that of the second posting.
async fn check(manner: Manner, expect: &[&str]) -> Vec<Value> {
    let sent = sent_to(manner).await;
    let forms: Vec<_> = sent.iter().map(form).collect();
    assert_eq!(forms, expect);
    sent
}

const FIRST: &str = "json_schema max_completion_tokens temperature";

#[tokio::test]
async fn openais_reasoning_models_have_a_temperature_of_their_own() {
    let manner: Manner = |body| {
        if body.get("max_tokens").is_some() {
            let message = "Unsupported parameter: 'max_tokens' is not supported with this model. \
                           Use 'max_completion_tokens' instead.";
            return refuse_like_openai(message, Some("max_tokens"), Some("unsupported_parameter"));
        }
        if body.get("temperature").is_some() {
            let message = "Unsupported value: 'temperature' does not support 0 with this model. \
                           Only the default (1) value is supported.";
            return refuse_like_openai(message, Some("temperature"), Some("unsupported_value"));
        }
        approved()
    };
    let then = "json_schema max_completion_tokens";
    check(manner, &[FIRST, then, then]).await;
}

#[tokio::test]
async fn azure_of_an_old_version_knows_neither_schema_nor_limit() {
    let manner: Manner = |body| {
        if body.get("max_completion_tokens").is_some() {
            let message = "Unrecognized request argument supplied: max_completion_tokens";
            return refuse_like_openai(message, None, None);
        }
        if body["response_format"]["type"] == "json_schema" {
            let message = "response_format value as json_schema is enabled only for api versions \
                           2024-08-01-preview and later";
            let error = json!({"code": "BadRequest", "message": message, "param": ""});
            return refuse(400, &json!({"error": error}));
        }
        approved()
    };
    let then = "json_object max_tokens temperature";
    let between = "json_schema max_tokens temperature";
    check(manner, &[FIRST, between, then, then]).await;
}

#[tokio::test]
async fn vllm_has_room_for_what_its_context_leaves() {
    let manner: Manner = |body| {
        let limit = body["max_completion_tokens"].as_u64().unwrap();
        if limit > 596 {
            let message = format!(
                "'max_tokens' or 'max_completion_tokens' is too large: {limit}. This model's \
                 maximum context length is 4096 tokens and your request has 3500 input tokens \
                 ({limit} > 4096 - 3500)."
            );
            let error = json!({"message": message, "type": "BadRequestError", "code": 400});
            return refuse(400, &json!({"error": error}));
        }
        approved()
    };
    // The next posting may be shorter, so the first limit is tried again.
    let sent = check(manner, &[FIRST; 4]).await;
    let limits: Vec<_> = sent
        .iter()
        .map(|body| body["max_completion_tokens"].as_u64().unwrap())
        .collect();
    assert_eq!(limits, [limits[0], 596, limits[0], 596]);
}

#[tokio::test]
async fn llama_cpp_has_known_the_schema_for_a_while_and_answered_500_before() {
    let manner: Manner = |body| {
        let kind = &body["response_format"]["type"];
        if kind == "json_schema" {
            let message = "response_format type must be one of \"text\" or \"json_object\", but \
                           got: json_schema";
            let error = json!({"code": 500, "message": message, "type": "server_error"});
            return refuse(500, &json!({"error": error}));
        }
        approved()
    };
    let then = "json_object max_completion_tokens temperature";
    check(manner, &[FIRST, then, then]).await;
}

#[tokio::test]
async fn a_server_that_knows_nothing_gets_the_messages_alone() {
    let manner: Manner = |body| {
        let known = ["model", "messages"];
        let fields = body.as_object().unwrap();
        match fields.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => refuse(422, &json!({"detail": [forbidden(body, name)]})),
            None => approved(),
        }
    };
    let sent = sent_to(manner).await;
    assert_eq!(form(sent.last().unwrap()), "-");
    // Two forms of the limit, two of the format, and the temperature.
    assert_eq!(sent.len(), 5 + 2);
}

#[tokio::test]
async fn a_server_that_refuses_everything_is_not_asked_for_ever() {
    let manner: Manner = |body| {
        let limit = body["max_completion_tokens"].as_u64().unwrap_or(1);
        let message = format!("maximum context length is {limit} tokens, and 1 input tokens");
        refuse(400, &json!({"message": message}))
    };
    let server = serving(manner).await;
    retry(draft_of(&input(), &model(&server.uri())).await);
    assert_eq!(server.received_requests().await.unwrap().len(), 10);
}

#[tokio::test]
async fn who_thinks_before_it_answers_gets_more_room_from_then_on() {
    let manner: Manner = |body| {
        let mut answer = saying(&approval().to_string());
        if body["max_completion_tokens"].as_u64().unwrap() < 5_000 {
            answer["choices"][0]["finish_reason"] = "length".into();
        }
        ok(&answer)
    };
    let server = serving(manner).await;
    let model = model(&server.uri());
    let feedback = feedback(draft_of(&input(), &model).await);
    let input = input();
    let brief = Brief::of(&input, MARKDOWN);
    model.draft(&brief, Some(&feedback)).await.unwrap();
    draft_of(&input, &model).await.unwrap();
}

#[tokio::test]
async fn what_an_operator_wants_stays_though_it_is_refused() {
    let manner: Manner = |body| match body.get("temperature") {
        Some(_) => refuse_like_openai("no", Some("temperature"), None),
        None => approved(),
    };
    let server = serving(manner).await;
    let extra = ExtraBody::parse(r#"{"temperature": 0.7}"#).unwrap();
    let model = model_with(&server.uri(), |settings| settings.extra_body = extra);
    let message = retry(draft_of(&input(), &model).await);
    assert!(message.ends_with(": no (temperature)"), "{message}");
}
