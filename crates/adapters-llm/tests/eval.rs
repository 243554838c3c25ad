#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test, which includes a program for the terminal"
)]

#[path = "../examples/eval/measure.rs"]
mod measure;
#[path = "../../posting-text/examples/eval-rules/score.rs"]
mod score;
#[path = "../../posting-text/examples/eval-rules/set.rs"]
mod set;

use std::{fs, path::Path, time::Duration};

use adapters_llm::{ChatModel, ExtraBody, Prices, Settings};
use serde_json::{Value, json};
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::any};

/// The rules miss the nicknames. The text below a head without a company must be rejected.
const SET: &str = "\
=== en GB | Brightvik AS | https://brightvik.example | Leeds
At {c:Brightvik} the {c:Blue Whale} crew drives lorries through the night.
=== de DE | Steinfurt GmbH | https://steinfurt.example | Ulm
Bei {c:Steinfurt} kochst du; die {c:Blaue Burg} ist unser Haus.
=== de DE
Send 50 euros for a starter kit and earn from home.
";

/// Answers as a model: hides a nickname, and in German also words that are not in the text. Rejects
/// postings that ask for money.
fn answer(request: &Request) -> ResponseTemplate {
    let body: Value = request.body_json().unwrap();
    let posting = body["messages"][1]["content"].as_str().unwrap();
    let mut answer = json!({"verdict": "approve", "code": null, "sentence": null, "hide": [
        {"text": "Blue Whale", "kind": "company"},
    ]});
    if posting.contains("kochst") {
        let hide = [("Blaue Burg", "company"), ("Weiße Burg", "company")];
        answer["hide"] = hide
            .map(|(text, kind)| json!({"text": text, "kind": kind}))
            .into();
    } else if posting.contains("50 euros") {
        answer["verdict"] = "reject".into();
        answer["code"] = "fraud".into();
        answer["sentence"] = "It asks for money.".into();
    }
    let message = json!({"message": {"content": answer.to_string()}, "finish_reason": "stop"});
    ResponseTemplate::new(200).set_body_json(json!({"choices": [message]}))
}

#[tokio::test]
async fn figures_of_rules_and_model_are_side_by_side() {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(answer).mount(&server).await;
    let model = ChatModel::new(&Settings {
        base_url: server.uri().parse().unwrap(),
        model: "small-1".to_owned(),
        api_key: None,
        timeout: Duration::from_mins(1),
        extra_body: ExtraBody::default(),
        prices: Prices::default(),
    });
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("labelled");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("all.txt"), SET).unwrap();
    let figures = measure::measure(&model.unwrap(), &folder, 2, false)
        .await
        .unwrap();
    println!("{figures}");
    let row = |name: &str| -> Vec<&str> {
        let mut rows = figures.lines().filter_map(|line| line.strip_prefix(name));
        rows.next().unwrap().split_whitespace().collect()
    };
    assert_eq!(row("company"), ["50.0/4", "100.0/4", "75.0/4"]);
    assert_eq!(row("refused"), ["0.0/1", "100.0/1", "100.0/1"]);
    assert_eq!(row("wrong"), ["0.000", "0.000", "0.000"]);
    assert!(figures.contains("postings with two unusable answers: 0; phrases not in the text: 1"));
}
