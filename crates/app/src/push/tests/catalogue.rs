//! A whole catalogue as one import.

use std::thread;

use super::*;

async fn catalogue(content: impl AsRef<[u8]>) -> Setting {
    let mut setting = Setting::with(content).await;
    setting.args.catalogue = Some("C".to_owned());
    setting
}

#[tokio::test]
async fn what_is_gone_expires_and_comes_back() {
    let setting = catalogue(lines(0..10)).await;
    assert_eq!(setting.counts().await, "10 created");
    setting.write(lines(3..10));
    let (ended, summary) = setting.push().await;
    ended.unwrap();
    assert_eq!(shown(&summary.counts), "7 unchanged");
    let text = crate::push::catalogue::missing(&setting.args, &summary.missing.unwrap(), 0);
    assert_eq!(
        text,
        "Of the catalogue C 0 expired by their lines; 3 others were missing, and 3 of them expired."
    );
    assert!(summary.is_clean());
    assert_eq!(setting.board.open().len(), 7);
    setting.write(lines(0..10));
    assert_eq!(setting.counts().await, "7 unchanged, 3 reopened");
}

#[tokio::test]
async fn what_is_held_back_is_let_through_by_a_command_that_is_told() {
    let mut setting = catalogue(lines(0..40)).await;
    setting.counts().await;
    setting.write(lines(0..10));
    setting.args.strict = true;
    setting.args.max_missing = Some(5);
    let (ended, summary) = setting.push().await;
    ended.unwrap();
    assert!(summary.is_held() && !summary.is_clean());
    assert_eq!(setting.board.open().len(), 40);
    let text = crate::push::catalogue::missing(&setting.args, &summary.missing.unwrap(), 0);
    let (why, command) = text.split_once("\n  ").unwrap();
    assert!(
        why.contains("30 others were missing, so many that none"),
        "{why}"
    );
    let expect = format!(
        "posthaste push {} --url {} --client-id someone --catalogue C --max-missing 100 --strict",
        setting.args.file.display(),
        setting.args.url
    );
    assert!(
        command.starts_with(&expect) && !command.contains("sesame"),
        "{command}"
    );

    setting.args.max_missing = Some(100);
    setting.counts().await;
    assert_eq!(setting.board.open().len(), 10);
    let requests = setting.requests().await;
    let queries: Vec<_> = requests.iter().map(|request| request.url.query()).collect();
    assert_eq!(
        queries,
        [None, Some("max_missing=5"), Some("max_missing=100")]
    );
    assert_eq!(requests[0].headers["transfer-encoding"], "chunked");
}

#[tokio::test]
async fn another_import_of_the_catalogue_is_waited_for() {
    let setting = catalogue(lines(["a"])).await;
    let busy = || ResponseTemplate::new(409).insert_header("Retry-After", "0");
    setting.board.answers([busy(), busy()]);
    assert_eq!(setting.counts().await, "1 created");
    setting.board.answers((0..1_000).map(|_| busy()));
    let error = format!("{:#}", setting.push().await.0.unwrap_err());
    assert!(
        error.contains("another import of this catalogue is running"),
        "{error}"
    );
    assert!(error.contains("to push the same again is safe"), "{error}");
}

#[tokio::test]
async fn an_input_that_cannot_be_opened_again_is_sent_again_too() {
    let mut setting = catalogue("").await;
    let fifo = setting.folder.path().join("fifo");
    let made = std::process::Command::new("mkfifo")
        .arg(&fifo)
        .status()
        .unwrap();
    assert!(made.success());
    setting.args.file.clone_from(&fifo);
    setting.board.fails([Fault::BreaksOff(503, 2)]);
    let writer = thread::spawn(move || fs::write(fifo, lines(0..5)));
    assert_eq!(setting.counts().await, "5 created");
    writer.join().unwrap().unwrap();
    let requests = setting.requests().await;
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].body, requests[1].body);
}

#[tokio::test]
async fn lines_that_are_not_taken_are_found_in_the_file_again() {
    let bad = |id: &str| format!("{{\"id\":\"{id}\",\"payload\":{{\"fails\":1.50}}}}\n");
    let content = [
        "\n",
        &bad("x"),
        &lines(["a"]),
        "\n\n",
        &bad("y"),
        "nonsense",
    ]
    .concat();
    let mut setting = catalogue(content).await;
    setting.args.reopen = true;
    let rejects = setting.rejects().await;
    let ids: Vec<_> = rejects
        .iter()
        .map(|row| (&row["id"], &row["payload"]))
        .collect();
    let payload = json!({"expiration": null, "fails": 1.50});
    let expect = [
        (&json!("x"), &payload),
        (&json!("y"), &payload),
        (&json!(null), &json!("nonsense")),
    ];
    assert_eq!(ids, expect);
}

#[tokio::test]
async fn an_input_that_breaks_off_is_not_taken_for_the_whole() {
    let setting = catalogue(lines(0..5)).await;
    setting.counts().await;
    setting.write(format!("[{},", lines(["0"])));
    let error = format!("{:#}", setting.push().await.0.unwrap_err());
    assert!(
        error.contains("beyond line 1: the JSON array is not closed"),
        "{error}"
    );
    assert_eq!(setting.board.open().len(), 5);
    assert_eq!(
        setting.requests().await.len(),
        1,
        "the second one never was complete"
    );
}
