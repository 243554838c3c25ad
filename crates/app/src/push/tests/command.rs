//! The whole command: requests, rejects and the exit code.

use std::path::PathBuf;

use super::*;

fn arguments(server: &MockServer, file: PathBuf, rejects: Option<PathBuf>) -> PushArgs {
    let Credentials {
        client_id,
        client_secret,
    } = credentials();
    // The trailing slash does no harm.
    let url = format!("{}/", server.uri()).parse().unwrap();
    PushArgs {
        file,
        url,
        client_id,
        client_secret,
        concurrency: 4,
        rejects,
    }
}

// `ExitCode` has no `PartialEq`.
fn is(code: ExitCode, expect: ExitCode) -> bool {
    format!("{code:?}") == format!("{expect:?}")
}

#[tokio::test]
async fn identifiers_and_payloads_arrive_as_they_are() {
    let server = service().await;
    put().respond_with(answer(201)).mount(&server).await;
    let payload = r#"{"salary_min":1.50e3, "t":"\u00e9"}"#;
    let ids = [
        "a/b?c#d",
        "%2F",
        "ü 🦀+&=",
        "\\..\\",
        "tab\there",
        "...",
        "~x-y_z.html",
        "",
    ];
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("in.ndjson");
    let line = |id: &&str| format!("{{\"id\":{},\"payload\":{payload}}}\r\n", json!(id));
    fs::write(&file, ids.iter().map(line).collect::<String>()).unwrap();
    let code = run(arguments(&server, file, None)).await.unwrap();
    assert!(is(code, ExitCode::SUCCESS));
    let mut seen: Vec<_> = puts(&server).await;
    seen.sort_by_key(|request| request.url.path().to_owned());
    let mut paths: Vec<_> = seen.iter().map(|request| request.url.path()).collect();
    paths.sort_unstable();
    let mut expect = [
        "/api/job-board/job-postings/a%2Fb%3Fc%23d",
        "/api/job-board/job-postings/%252F",
        "/api/job-board/job-postings/%C3%BC%20%F0%9F%A6%80%2B%26%3D",
        "/api/job-board/job-postings/%5C..%5C",
        "/api/job-board/job-postings/tab%09here",
        "/api/job-board/job-postings/...",
        "/api/job-board/job-postings/~x-y_z.html",
        "/api/job-board/job-postings/",
    ];
    expect.sort_unstable();
    assert_eq!(paths, expect);
    for request in seen {
        assert_eq!(request.headers["content-type"], "application/json");
        assert_eq!(String::from_utf8(request.body).unwrap(), payload);
    }
}

#[tokio::test]
async fn what_is_not_taken_is_kept_and_decides_the_exit_code() {
    let server = service().await;
    let refusal = r#"{"message":"title is required.","errors":{"title":["is required"]}}"#;
    let refusal = ResponseTemplate::new(422).set_body_raw(refusal, "application/json");
    Mock::given(path("/api/job-board/job-postings/bad"))
        .respond_with(refusal)
        .mount(&server)
        .await;
    put().respond_with(answer(201)).mount(&server).await;
    let dir = tempfile::tempdir().unwrap();
    let (file, rejects) = (
        dir.path().join("in.ndjson"),
        dir.path().join("rejects.ndjson"),
    );
    let input = "{\"id\":\"bad\",\"payload\":{\"n\":1.0}}\n\n{\"id\":\"good\",\"payload\":{}}\nnonsense\n{\"id\":\"..\",\"payload\":{}}\n{\"id\":\"lacks\"}\n";
    fs::write(&file, input).unwrap();
    let code = run(arguments(&server, file, Some(rejects.clone())))
        .await
        .unwrap();
    assert!(is(code, ExitCode::FAILURE));
    let text = fs::read_to_string(rejects).unwrap();
    let mut rows: Vec<Value> = text
        .lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect();
    rows.sort_by_key(|row| row["id"].to_string());
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0]["id"], "..");
    assert!(
        rows[0]["message"]
            .as_str()
            .unwrap()
            .contains("cannot be sent")
    );
    let expect = json!({"id": "bad", "payload": {"n": 1.0}, "status": 422,
        "message": "title is required.", "errors": {"title": ["is required"]}});
    assert_eq!(rows[1], expect);
    let expect = json!({"id": "lacks", "payload": "{\"id\":\"lacks\"}", "status": null,
        "message": "line 6: has no `payload`", "errors": {}});
    assert_eq!(rows[2], expect);
    let expect = json!({"id": null, "payload": "nonsense", "status": null,
        "message": "line 4: is not JSON, from column 2 on", "errors": {}});
    assert_eq!(rows[3], expect);
}

#[tokio::test]
async fn a_wrong_secret_does_not_cost_the_rejects_of_an_earlier_run() {
    let server = MockServer::start().await;
    let denied = ResponseTemplate::new(401).set_body_json(json!({"error": "invalid_client"}));
    Mock::given(path("/oauth/token"))
        .respond_with(denied)
        .mount(&server)
        .await;
    let dir = tempfile::tempdir().unwrap();
    let (file, rejects) = (
        dir.path().join("in.ndjson"),
        dir.path().join("rejects.ndjson"),
    );
    fs::write(&file, lines(&[("a", 0)])).unwrap();
    fs::write(&rejects, "precious").unwrap();
    assert!(
        run(arguments(&server, file, Some(rejects.clone())))
            .await
            .is_err()
    );
    assert_eq!(fs::read_to_string(rejects).unwrap(), "precious");
}

#[tokio::test]
async fn the_input_is_not_taken_for_the_rejects_file() {
    let server = service().await;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("in.ndjson");
    fs::write(&file, "precious").unwrap();
    let rejects = dir.path().join(".").join("in.ndjson");
    let error = run(arguments(&server, file.clone(), Some(rejects)))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("--rejects"), "{error}");
    assert_eq!(fs::read_to_string(file).unwrap(), "precious");
}

#[tokio::test]
async fn files_that_cannot_be_read_or_written_are_named() {
    let server = service().await;
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing.ndjson");
    let error = run(arguments(&server, missing, None)).await.unwrap_err();
    assert!(error.to_string().contains("missing.ndjson"), "{error}");
    let error = run(arguments(&server, dir.path().to_owned(), None))
        .await
        .unwrap_err();
    assert!(format!("{error:#}").contains("directory"), "{error:#}");
    let file = dir.path().join("in.ndjson");
    fs::write(&file, lines(&[("a", 0)])).unwrap();
    let rejects = dir.path().join("no/such/folder");
    let error = run(arguments(&server, file, Some(rejects)))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("--rejects"), "{error}");
    assert_eq!(puts(&server).await.len(), 0);
}
