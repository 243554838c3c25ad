//! Endpoints that accept different parameters, and requests that adapt to them.

use super::*;

type Manner = fn(&Value) -> ResponseTemplate;

async fn serving(manner: Manner) -> (ChatModel, MockServer) {
    let server = MockServer::start().await;
    let respond = move |request: &Request| manner(&request.body_json().unwrap());
    Mock::given(any())
        .respond_with(respond)
        .mount(&server)
        .await;
    (model(&server.uri()), server)
}

fn approved() -> ResponseTemplate {
    ok(&saying(&approval().to_string()))
}

fn refuse(status: u16, message: &str, param: Option<&str>) -> ResponseTemplate {
    let error = json!({"message": message, "type": "invalid_request_error", "param": param});
    ResponseTemplate::new(status).set_body_json(json!({"error": error}))
}

fn limit(body: &Value) -> u64 {
    body["max_completion_tokens"].as_u64().unwrap_or(1)
}

fn form(body: &Value) -> String {
    let format = body["response_format"]["type"].as_str().unwrap_or("-");
    let names = ["max_completion_tokens", "max_tokens", "temperature"].into_iter();
    let there = names.filter(|name| body.get(*name).is_some_and(|value| !value.is_null()));
    [format]
        .into_iter()
        .chain(there)
        .collect::<Vec<_>>()
        .join(" ")
}

const FIRST: &str = "json_schema max_completion_tokens temperature";

/// The first call finds the accepted form, and the second call uses it.
#[tokio::test]
async fn every_server_is_asked_in_the_form_that_it_takes() {
    let openai_reasoning: Manner = |body| match body.get("temperature") {
        Some(_) => refuse(
            400,
            "Unsupported value: 'temperature' does not support 0 with this model.",
            Some("temperature"),
        ),
        None => approved(),
    };
    let old_azure: Manner = |body| {
        if body.get("max_completion_tokens").is_some() {
            let message = "Unrecognized request argument supplied: max_completion_tokens";
            return refuse(400, message, None);
        }
        if body["response_format"]["type"] == "json_schema" {
            let message = "response_format value as json_schema is enabled only for api versions \
                           2024-08-01-preview and later";
            return refuse(400, message, Some(""));
        }
        approved()
    };
    // The next posting may be shorter, so the first limit is used again.
    let vllm: Manner = |body| match limit(body) {
        597.. => refuse(
            400,
            "'max_completion_tokens' is too large. This model's maximum context length is 4096 \
             tokens and your request has 3500 input tokens.",
            None,
        ),
        596 => approved(),
        limit => panic!("{limit}"),
    };
    // llama.cpp answered 500 before it supported the schema.
    let llama_cpp: Manner = |body| match body["response_format"]["type"].as_str() {
        Some("json_schema") => refuse(
            500,
            "response_format type must be one of \"text\" or \"json_object\"",
            None,
        ),
        _ => approved(),
    };
    // FastAPI repeats the input in its answer.
    let knows_nothing: Manner = |body| {
        let mut fields = body.as_object().unwrap().iter();
        match fields.find(|(name, _)| !matches!(name.as_str(), "model" | "messages")) {
            Some((name, value)) => ResponseTemplate::new(422).set_body_json(
                json!({"detail": [{"loc": ["body", name], "msg": "Extra", "input": value}]}),
            ),
            None => approved(),
        }
    };
    let own = "json_schema max_completion_tokens";
    let object = "json_object max_completion_tokens temperature";
    let azure = "json_object max_tokens temperature";
    for (server, manner, expect) in [
        ("OpenAI", openai_reasoning, &[FIRST, own, own][..]),
        (
            "Azure",
            old_azure,
            &[FIRST, "json_schema max_tokens temperature", azure, azure],
        ),
        ("vLLM", vllm, &[FIRST; 4]),
        ("llama.cpp", llama_cpp, &[FIRST, object, object]),
        (
            "knows nothing",
            knows_nothing,
            &[
                FIRST,
                "json_schema max_tokens temperature",
                "json_schema temperature",
                "json_object temperature",
                "- temperature",
                "-",
                "-",
            ],
        ),
    ] {
        let (model, requests) = serving(manner).await;
        for title in ["Gardener", "Keeper of owls"] {
            draft_of(&titled(title), &model).await.unwrap();
        }
        let sent = requests.received_requests().await.unwrap();
        let forms: Vec<_> = sent
            .iter()
            .map(|it| form(&it.body_json().unwrap()))
            .collect();
        assert_eq!(forms, expect, "{server}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_everything_is_not_asked_for_ever() {
    let (model, server) = serving(|body| {
        let limit = limit(body);
        refuse(
            400,
            &format!("maximum context length is {limit}, and 1 input tokens"),
            None,
        )
    })
    .await;
    retry(draft_of(&input(), &model).await);
    assert_eq!(server.received_requests().await.unwrap().len(), 10);
}

#[tokio::test]
async fn a_model_with_thoughts_gets_more_room_from_then_on() {
    let (model, _server) = serving(|body| {
        let mut answer = saying(&approval().to_string());
        if limit(body) < 5_000 {
            answer["choices"][0]["finish_reason"] = "length".into();
        }
        ok(&answer)
    })
    .await;
    let feedback = feedback(draft_of(&input(), &model).await);
    let input = input();
    model
        .draft(&Brief::of(&input, MARKDOWN), Some(&feedback))
        .await
        .unwrap();
    draft_of(&input, &model).await.unwrap();
}

#[tokio::test]
async fn an_operators_field_stays_though_it_is_refused() {
    let (_, server) = serving(|body| match body.get("temperature") {
        Some(_) => refuse(400, "no", Some("temperature")),
        None => approved(),
    })
    .await;
    let extra = ExtraBody::parse(r#"{"temperature": 0.7}"#).unwrap();
    let model = model_with(&server.uri(), |settings| settings.extra_body = extra);
    let message = retry(draft_of(&input(), &model).await);
    assert!(message.ends_with(": no (temperature)"), "{message}");
}
