//! Tests the stand-in against the documentation of the API.

use std::time::{Duration, Instant};

use reqwest::{Response, StatusCode};
use serde_json::{Value, json};

use super::{APPROVAL, Chat, Fault, KEY, MODEL, REJECTION, Slip, Usage};

/// A client of the stand-in.
struct Client<'a> {
    http: reqwest::Client,
    chat: &'a Chat,
    key: Option<&'a str>,
}

impl<'a> Client<'a> {
    fn new(chat: &'a Chat) -> Self {
        // Only the first call in a process has an effect.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self {
            http: reqwest::Client::builder().no_proxy().build().unwrap(),
            chat,
            key: Some(KEY),
        }
    }

    async fn send(&self, body: &Value) -> reqwest::Result<Response> {
        let url = format!("{}/chat/completions", self.chat.url());
        let mut request = self.http.post(url);
        if let Some(key) = self.key {
            request = request.bearer_auth(key);
        }
        request.json(body).send().await
    }

    async fn ask(&self, body: &Value) -> (u16, Value) {
        let response = self.send(body).await.unwrap();
        let status = response.status().as_u16();
        let body = response.text().await.unwrap();
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    /// Asks about a posting with this title. Returns the content of the answer.
    async fn answered(&self, title: &str) -> String {
        let (status, body) = self.ask(&question(title)).await;
        assert_eq!(status, 200, "{body}");
        body["choices"][0]["message"]["content"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Asks about a posting with this title. Returns the content as JSON.
    async fn drafted(&self, title: &str) -> Value {
        serde_json::from_str(&self.answered(title).await).unwrap()
    }
}

const DESCRIPTION: &str = "We look for a **gardener** who knows roses.";

fn schema() -> Value {
    let text = json!({"type": "string"});
    let phrase = json!({
        "type": "object",
        "properties": {"text": text, "kind": text},
        "required": ["text", "kind"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "verdict": {"type": "string", "enum": ["approve", "reject"]},
            "code": {"anyOf": [{"type": "string", "enum": ["spam", "fraud"]}, {"type": "null"}]},
            "sentence": text,
            "hide": {"type": "array", "items": phrase},
        },
        "required": ["verdict", "code", "sentence", "hide"],
        "additionalProperties": false,
    })
}

fn question(title: &str) -> Value {
    let posting = json!({"title": title, "description_markdown": DESCRIPTION});
    json!({
        "model": MODEL,
        "messages": [
            {"role": "system", "content": "Judge."},
            {"role": "user", "content": posting.to_string()},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "posting", "strict": true, "schema": schema()},
        },
        "temperature": 0,
    })
}

#[tokio::test]
async fn a_posting_is_approved_and_what_it_emphasises_is_hidden() {
    let chat = Chat::start();
    let (status, answer) = Client::new(&chat).ask(&question("Gardener")).await;
    assert_eq!(status, 200);
    assert_eq!(answer["object"], "chat.completion");
    assert_eq!(answer["model"], MODEL);
    assert!(answer["id"].as_str().unwrap().starts_with("chatcmpl-"));
    assert!(answer["created"].as_i64().unwrap() > 1_600_000_000);
    let choice = &answer["choices"][0];
    assert_eq!(choice["finish_reason"], "stop");
    assert_eq!(choice["message"]["role"], "assistant");
    assert_eq!(choice["message"]["refusal"], Value::Null);
    let content = choice["message"]["content"].as_str().unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(content).unwrap(),
        json!({
            "verdict": "approve", "code": null, "sentence": APPROVAL,
            "hide": [{"text": "gardener", "kind": "company"}],
        })
    );
    let usage = &answer["usage"];
    let tokens = |key: &str| usage[key].as_u64().unwrap();
    assert!(tokens("prompt_tokens") > 10 && tokens("completion_tokens") > 10);
    assert_eq!(
        tokens("total_tokens"),
        tokens("prompt_tokens") + tokens("completion_tokens")
    );
}

#[tokio::test]
async fn titles_that_say_so_are_rejected() {
    let chat = Chat::start();
    let draft = Client::new(&chat).drafted("Much SPAM").await;
    assert_eq!(draft["verdict"], "reject");
    assert_eq!(draft["code"], "spam");
    assert_eq!(draft["sentence"], REJECTION);
}

#[tokio::test]
async fn the_last_posting_that_was_shown_counts() {
    let chat = Chat::start();
    let client = Client::new(&chat);
    let mut body = question("SPAM");
    let messages = body["messages"].as_array_mut().unwrap();
    let newer = json!({"posting": {"title": "Baker", "description_markdown": "**Bread**."}});
    messages.push(json!({"role": "assistant", "content": "{}"}));
    messages.push(json!({
        "role": "user", "content": [{"type": "text", "text": newer.to_string()}],
    }));
    messages.push(json!({"role": "user", "content": "The `verdict` is missing."}));
    let (status, answer) = client.ask(&body).await;
    assert_eq!(status, 200, "{answer}");
    let content = answer["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(content.contains("\"Bread\""), "{content}");
    assert_eq!(chat.calls()[0].title.as_deref(), Some("Baker"));
    assert_eq!(chat.calls()[0].texts("user").len(), 3);
}

#[tokio::test]
async fn what_the_schema_leaves_open_is_filled_as_it_wants() {
    let chat = Chat::start();
    let client = Client::new(&chat);
    let code = "/response_format/json_schema/schema/properties/code";
    for (schema, expect) in [
        (json!({"type": "string"}), json!("")),
        (json!({"type": ["string", "null"]}), Value::Null),
        (
            json!({"type": "string", "enum": ["spam", "none"]}),
            json!("none"),
        ),
    ] {
        let mut body = question("Gardener");
        *body.pointer_mut(code).unwrap() = schema;
        let (_, answer) = client.ask(&body).await;
        let content = answer["choices"][0]["message"]["content"].as_str().unwrap();
        let draft: Value = serde_json::from_str(content).unwrap();
        assert_eq!(draft["code"], expect);
    }
    let mut body = question("Gardener");
    *body.pointer_mut(code).unwrap() = json!({"type": "integer"});
    let (status, answer) = client.ask(&body).await;
    assert_eq!(status, 400, "{answer}");
}

#[tokio::test]
async fn strangers_are_turned_away() {
    let chat = Chat::start();
    let mut client = Client::new(&chat);
    for key in [None, Some("wrong")] {
        client.key = key;
        let (status, answer) = client.ask(&question("Gardener")).await;
        assert_eq!(status, 401);
        assert_eq!(answer["error"]["code"], "invalid_api_key");
    }
    chat.open();
    client.key = None;
    client.drafted("Gardener").await;
    let calls = chat.calls();
    assert_eq!(calls[1].authorization.as_deref(), Some("Bearer wrong"));
    assert_eq!(calls[2].authorization, None);
    let statuses: Vec<_> = calls.iter().map(|call| call.status).collect();
    assert_eq!(statuses, [Some(401), Some(401), Some(200)]);
}

#[tokio::test]
async fn what_is_not_as_the_api_wants_it_is_refused() {
    let chat = Chat::start();
    let client = Client::new(&chat);
    let format = "/response_format/json_schema";
    let schema = "/response_format/json_schema/schema";
    for (place, value) in [
        ("/messages", json!([])),
        ("/messages", json!("Hello")),
        ("/messages/0/role", json!("boss")),
        ("/messages/0/content", Value::Null),
        ("/messages/1/content", json!("Gardener")),
        ("/temperature", json!(3)),
        ("/temperature", json!("cold")),
        ("/response_format/type", json!("json_object")),
        (&format!("{format}/name"), json!("a posting")),
        (&format!("{format}/strict"), json!(false)),
        (&format!("{schema}/type"), json!("array")),
        (&format!("{schema}/additionalProperties"), json!(true)),
        (&format!("{schema}/required"), json!(["verdict"])),
        (
            &format!("{schema}/properties/code/anyOf/1"),
            json!({"type": "object", "properties": {}, "required": []}),
        ),
        (&format!("{schema}/properties/verdict"), json!({})),
    ] {
        let mut body = question("Gardener");
        *body.pointer_mut(place).unwrap() = value.clone();
        let (status, answer) = client.ask(&body).await;
        assert_eq!(status, 400, "{place} {value}");
        let error = &answer["error"];
        assert_eq!(error["type"], "invalid_request_error", "{place} {value}");
        assert!(error["message"].is_string() && error["param"].is_string());
    }
    for parameter in ["model", "messages", "response_format"] {
        let mut body = question("Gardener");
        body.as_object_mut().unwrap().remove(parameter);
        let (status, answer) = client.ask(&body).await;
        assert_eq!(status, 400);
        assert_eq!(answer["error"]["param"], parameter);
        assert_eq!(answer["error"]["code"], "missing_required_parameter");
    }
    let mut body = question("Gardener");
    body["unheard"] = json!(1);
    assert_eq!(client.ask(&body).await.0, 400);
    let mut body = question("Gardener");
    body["model"] = json!("another");
    let (status, answer) = client.ask(&body).await;
    assert_eq!(
        (status, &answer["error"]["code"]),
        (404, &json!("model_not_found"))
    );
    // A refused request uses up no fault.
    chat.fail(1, Fault::Answer(500, None));
    assert_eq!(client.ask(&Value::Null).await.0, 400);
    assert_eq!(client.ask(&question("Gardener")).await.0, 500);
}

#[tokio::test]
async fn the_next_requests_fail_as_told() {
    let chat = Chat::start();
    let client = Client::new(&chat);
    let body = question("Gardener");
    chat.fail(1, Fault::Answer(500, None));
    chat.fail(1, Fault::Answer(429, Some(7)));
    chat.fail(1, Fault::Page(502));
    for fault in [Fault::Close, Fault::LoseAnswer, Fault::CloseMidway] {
        chat.fail(1, fault);
    }
    let (status, answer) = client.ask(&body).await;
    assert_eq!(
        (status, &answer["error"]["type"]),
        (500, &json!("server_error"))
    );
    let busy = client.send(&body).await.unwrap();
    assert_eq!(busy.status(), 429);
    assert_eq!(busy.headers()["retry-after"], "7");
    let page = client.send(&body).await.unwrap();
    assert_eq!(page.status(), 502);
    assert_eq!(page.headers()["content-type"], "text/html");
    for _ in [Fault::Close, Fault::LoseAnswer] {
        assert!(client.send(&body).await.is_err());
    }
    let cut = client.send(&body).await.unwrap();
    assert_eq!(cut.status(), StatusCode::OK);
    assert!(cut.bytes().await.is_err());
    client.drafted("Gardener").await;
    let statuses: Vec<_> = chat.calls().iter().map(|call| call.status).collect();
    let expect = [Some(500), Some(429), Some(502), None, None, None, Some(200)];
    assert_eq!(statuses, expect);
}

#[tokio::test]
async fn a_fault_may_wait_for_a_posting_or_stay() {
    let chat = Chat::start();
    let client = Client::new(&chat);
    chat.fail_for("Baker", 1, Fault::Answer(503, None));
    chat.outage_for("Cook", Some(Fault::Answer(500, None)));
    client.drafted("Gardener").await;
    for status in [503, 200] {
        assert_eq!(client.ask(&question("A Baker")).await.0, status);
    }
    for _ in 0..3 {
        assert_eq!(client.ask(&question("Cook")).await.0, 500);
    }
    chat.outage_for("Cook", None);
    client.drafted("Cook").await;
    chat.outage(Some(Fault::Close));
    for title in ["Gardener", "Cook"] {
        assert!(client.send(&question(title)).await.is_err());
    }
    chat.outage(None);
    client.drafted("Gardener").await;
    assert_eq!(chat.calls_for("Baker").len(), 2);
}

#[tokio::test]
async fn the_model_slips_in_every_way() {
    let chat = Chat::start();
    let client = Client::new(&chat);
    for slip in [
        Slip::Truncated,
        Slip::NoJson,
        Slip::Empty,
        Slip::Prose,
        Slip::Fence,
        Slip::Think,
    ] {
        chat.fail(1, Fault::Say(slip));
        let content = client.answered("Gardener").await;
        let parsed = serde_json::from_str::<Value>(&content);
        assert!(parsed.is_err(), "{slip:?}: {content}");
        let has_all = content.contains("\"verdict\":\"approve\"");
        let is_wrapped = matches!(slip, Slip::Prose | Slip::Fence | Slip::Think);
        assert_eq!(has_all, is_wrapped, "{slip:?}: {content}");
    }
    let holds: [(Slip, Holds); 8] = [
        (Slip::WrongVerdict, |draft| draft["verdict"] == "maybe"),
        (Slip::UnknownCode, |draft| draft["code"] == "boring"),
        (Slip::MissingField, |draft| draft.get("hide").is_none()),
        (Slip::WrongType, |draft| draft["hide"].is_string()),
        (Slip::UnknownKind, |draft| {
            draft["hide"][1]["kind"] == "city"
        }),
        (Slip::InventedPhrase, |draft| {
            draft["hide"][0]["text"] == "We sell magic pills."
        }),
        (Slip::EmptyPhrase, |draft| draft["hide"][1]["text"] == ""),
        (Slip::RewrittenText, |draft| draft.get("markdown").is_some()),
    ];
    for (slip, holds) in holds {
        chat.fail(1, Fault::Say(slip));
        let draft = client.drafted("Gardener").await;
        assert!(holds(&draft), "{slip:?}: {draft}");
        let draft = client.drafted("Gardener").await;
        assert!(!holds(&draft), "{slip:?}: {draft}");
    }
}

/// A check of a draft.
type Holds = fn(&Value) -> bool;

#[tokio::test]
async fn an_answer_may_have_no_content() {
    let chat = Chat::start();
    let client = Client::new(&chat);
    for slip in [
        Slip::Refusal,
        Slip::Filtered,
        Slip::NoChoices,
        Slip::Truncated,
    ] {
        chat.fail(1, Fault::Say(slip));
    }
    let (_, refused) = client.ask(&question("Gardener")).await;
    let message = &refused["choices"][0]["message"];
    assert_eq!(message["content"], Value::Null);
    assert!(message["refusal"].is_string());
    let (_, filtered) = client.ask(&question("Gardener")).await;
    assert_eq!(filtered["choices"][0]["finish_reason"], "content_filter");
    let (status, none) = client.ask(&question("Gardener")).await;
    assert_eq!((status, &none["choices"]), (200, &json!([])));
    let (_, truncated) = client.ask(&question("Gardener")).await;
    assert_eq!(truncated["choices"][0]["finish_reason"], "length");
}

/// Waits for a condition in the server.
async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn what_is_under_way_is_counted_and_can_be_held() {
    let chat = Chat::start();
    let (one, other) = (Client::new(&chat), Client::new(&chat));
    chat.hold();
    let answers = async { tokio::join!(one.drafted("Gardener"), other.drafted("Baker")) };
    let release = async {
        until(|| chat.under_way() == 2).await;
        // Faults of the server are not held.
        chat.fail_for("Cook", 1, Fault::Answer(500, None));
        assert_eq!(Client::new(&chat).ask(&question("Cook")).await.0, 500);
        assert!(chat.calls_for("Gardener")[0].status.is_none());
        chat.release();
    };
    tokio::join!(answers, release);
    until(|| chat.under_way() == 0).await;
    assert_eq!(chat.most_under_way(), 3);
    let under_way: Vec<_> = chat.calls().iter().map(|call| call.under_way).collect();
    assert_eq!(under_way, [1, 2, 3]);
}

#[tokio::test]
async fn who_goes_away_is_no_longer_under_way() {
    let chat = Chat::start();
    let client = Client::new(&chat);
    chat.fail(1, Fault::Hang);
    let body = question("Gardener");
    tokio::select! {
        answer = client.send(&body) => panic!("{answer:?}"),
        () = until(|| chat.under_way() == 1) => {}
    }
    until(|| chat.under_way() == 0).await;
    assert_eq!(chat.calls()[0].status, None);
    client.drafted("Gardener").await;
}

#[tokio::test]
async fn answers_take_as_long_and_count_as_much_as_told() {
    let chat = Chat::start();
    chat.slow(Duration::from_millis(50));
    chat.count(Usage {
        prompt_tokens: 700,
        completion_tokens: 30,
    });
    let start = Instant::now();
    let (_, answer) = Client::new(&chat).ask(&question("Gardener")).await;
    assert!(start.elapsed() >= Duration::from_millis(50));
    assert_eq!(
        answer["usage"],
        json!({"prompt_tokens": 700, "completion_tokens": 30, "total_tokens": 730})
    );
}

#[tokio::test]
async fn it_comes_back_at_the_same_address() {
    let address = Chat::start().address();
    let chat = Chat::start_at(address);
    Client::new(&chat).drafted("Gardener").await;
}

#[tokio::test]
async fn what_can_be_asked_for_by_name_happens() {
    let chat = Chat::start();
    let client = Client::new(&chat);
    for name in Fault::names() {
        let fault = Fault::named(name).unwrap();
        if fault == Fault::Hang {
            continue;
        }
        chat.fail(1, fault);
        let answer = client.send(&question("Gardener")).await;
        let is_answered = answer.is_ok_and(|answer| answer.status() == 200);
        let is_said = matches!(fault, Fault::Say(_) | Fault::CloseMidway);
        assert_eq!(is_answered, is_said, "{name}");
    }
    assert_eq!(Fault::named("unheard"), None);
}
