//! Lines as a sequence of imports.

use std::io::Write as _;

use super::{board::MOST_RECEIPTS, *};

#[tokio::test]
async fn lines_arrive_as_they_are_however_they_are_packed() {
    let payload = r#"{"salary_min":1.50e3, "t":"\u00e9"}"#;
    let texts = ["a/b", "..", "ü 🦀", "tab\t", ""].map(|id| {
        let id = json!(id);
        format!("{{\"id\":{id},\"payload\":{payload}}}")
    });
    let file = format!("\u{FEFF}{}\r\n\r\n", texts.join("\r\n\r\n"));
    let body = format!("{}\n", texts.join("\n\n"));
    let array = format!("[{}]", texts.join(",\n"));
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(file.as_bytes()).unwrap();
    let setting = Setting::with(&file).await;
    assert_eq!(setting.counts().await, "5 created");
    for packed in [
        gz.finish().unwrap(),
        zstd::encode_all(file.as_bytes(), 1).unwrap(),
        array.into_bytes(),
    ] {
        setting.write(packed);
        assert_eq!(setting.counts().await, "5 unchanged");
    }
    let requests = setting.requests().await;
    assert_eq!(requests.len(), 4);
    for (request, expect) in requests
        .iter()
        .zip([&body, &body, &body, &body.replace("\n\n", "\n")])
    {
        let sent = String::from_utf8_lossy(&request.body);
        assert_eq!(sent.trim_end(), expect.trim_end());
        assert_eq!(request.headers["content-length"], sent.len().to_string());
        assert!(!request.headers.contains_key("prefer"));
        assert_eq!(request.url.query(), None);
    }
}

#[tokio::test]
async fn lines_that_are_not_taken_are_kept_and_can_be_pushed_again() {
    let input = [
        r#"{"id":"bad","payload":{"salary_min":1.0e1,"salary_min":10,"salary_max":5}}"#,
        "",
        r#"{"id":"good","payload":{}}"#,
        "nonsense \"x\"",
        r#"{"id":"lacks"}"#,
        r#"{"id":"worse","payload":{"salary_min":11,"salary_max":5},"errors":{}}"#,
        r#"{"id":"fault","payload":{"fails":1}}"#,
    ];
    let mut setting = Setting::with(input.join("\n")).await;
    let (ended, summary) = setting.push().await;
    ended.unwrap();
    assert_eq!(shown(&summary.counts), "1 created, 4 refused, 1 failed");
    let text = summary.to_string();
    assert!(
        text.contains("\n         2 × salary_max: must be at least salary_min\n"),
        "{text}"
    );

    let refused = |id: &str, payload: &str, min: u64| {
        let why = format!("must be at least salary_min, which is {min}");
        let payload: Value = serde_json::from_str(payload).unwrap();
        json!({"id": id, "payload": payload, "status": 422, "message":
            format!("salary_max {why}."), "errors": {"salary_max": [why]}})
    };
    let expect = [
        refused("bad", r#"{"salary_min":10,"salary_max":5}"#, 10),
        json!({"id": null, "payload": "nonsense \"x\"", "status": 400,
            "message": "The line is not JSON.", "errors": {}}),
        json!({"id": "lacks", "payload": "{\"id\":\"lacks\"}", "status": 422,
            "message": "It has no payload.", "errors": {}}),
        refused("worse", r#"{"salary_min":11,"salary_max":5}"#, 11),
        json!({"id": "fault", "payload": {"fails": 1}, "status": 500, "message": "A fault.",
            "errors": {}}),
    ];
    assert_eq!(setting.rejects().await, expect);
    let rejects = fs::read_to_string(setting.args.rejects.take().unwrap()).unwrap();
    assert!(
        rejects.contains(r#"{"salary_min":1.0e1,"salary_min":10,"#),
        "{rejects}"
    );
    setting.write(rejects);
    assert_eq!(setting.counts().await, "4 refused, 1 failed");
}

#[tokio::test]
async fn lines_without_a_receipt_are_counted_and_told() {
    let content = lines(["a"]) + &"nonsense\n".repeat(MOST_RECEIPTS + 5);
    let mut setting = Setting::with(content).await;
    setting.args.catalogue = Some("C".to_owned());
    let (ended, summary) = setting.push().await;
    ended.unwrap();
    assert_eq!(shown(&summary.counts), "1 created, 45 refused");
    let text = summary.to_string();
    assert!(text.contains("\n5 lines more were not taken."), "{text}");
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["receipts_omitted"], 5);
    assert_eq!(setting.rejects().await.len(), MOST_RECEIPTS);
}

#[tokio::test]
async fn a_long_file_is_sent_in_chunks_in_its_order() {
    let mut content: String = lines(0..1_000);
    content += "{\"id\":\"0\",\"payload\":{\"title\":\"last\"}}\n";
    let setting = Setting::with(content).await;
    assert_eq!(setting.counts().await, "1000 created, 1 updated");
    assert_eq!(setting.board.payload("0"), json!({"title": "last"}));
    assert!(setting.requests().await.len() > 2);
}

#[tokio::test]
async fn switches_are_passed_on() {
    let mut setting = Setting::with(lines(["a"])).await;
    setting.args.dry_run = true;
    setting.args.strict = true;
    assert_eq!(setting.counts().await, "1 created");
    assert!(setting.board.open().is_empty());
    let request = setting.requests().await.remove(0);
    assert_eq!(request.url.query(), Some("dry_run=true"));
    assert_eq!(request.headers["prefer"], "handling=strict");
}

#[tokio::test]
async fn what_has_expired_comes_back_on_demand() {
    let expiring = "{\"id\":\"a\",\"payload\":{\"expiration\":{}}}\n";
    let mut setting = Setting::with(lines(["a"]) + expiring).await;
    setting.counts().await;
    assert!(setting.board.open().is_empty());
    setting.write(lines(["a"]));
    assert_eq!(setting.counts().await, "1 updated");
    setting.args.reopen = true;
    assert_eq!(setting.counts().await, "1 reopened");
    assert_eq!(setting.board.open(), ["a"]);
}

#[tokio::test]
async fn a_chunk_that_is_too_large_is_split() {
    let long = format!(
        "{{\"id\":\"long\",\"payload\":{{\"t\":\"{}\"}}}}\n",
        "x".repeat(100)
    );
    let content = [lines(0..20), long, lines(20..40)].concat();
    let mut setting = Setting::with(content).await;
    setting.board.limits(100);
    let rejects = setting.rejects().await;
    let [row] = rejects.as_slice() else {
        panic!("{rejects:?}")
    };
    assert_eq!(
        (&row["id"], &row["status"], &row["message"]),
        (&json!("long"), &json!(413), &json!("Too large."))
    );
    assert_eq!(setting.board.open().len(), 40);
    assert_eq!(setting.counts().await, "40 unchanged, 1 refused");
}

#[tokio::test]
async fn an_input_that_breaks_off_is_sent_as_far_as_it_can_be_read() {
    let setting = Setting::with(format!("[{}, nonsense]", lines(["a"]))).await;
    let (ended, summary) = setting.push().await;
    let error = format!("{:#}", ended.unwrap_err());
    assert!(
        error.contains("beyond line 1: its element 2 is no JSON"),
        "{error}"
    );
    assert!(error.contains("to push the same again is safe"), "{error}");
    assert_eq!(shown(&summary.counts), "1 created");
}

#[tokio::test]
async fn a_few_lines_are_answered_each() {
    let setting = Setting::with("").await;
    let credentials = Credentials {
        client_id: setting.args.client_id.clone(),
        client_secret: setting.args.client_secret.clone(),
    };
    let (progress, url) = (Progress::new(), &setting.args.url);
    let sender = Sender::connect(url, credentials, POLICY, progress.clone());
    let sender = sender.await.unwrap();
    let text = lines(["a", "a"]) + "{\"id\":\"b\"}";
    let receipts = receipts(&sender, &Chunk::of(&text), &progress)
        .await
        .unwrap();
    let answers: Vec<_> = receipts
        .iter()
        .map(|receipt| (receipt.line, receipt.outcome, receipt.status))
        .collect();
    let expect = [
        (1, Outcome::Created, Some(201)),
        (2, Outcome::Unchanged, Some(200)),
        (3, Outcome::Refused, Some(422)),
    ];
    assert_eq!(answers, expect);
}
