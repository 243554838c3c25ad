//! The whole command: files, and the exit code.

use super::*;

/// Runs the command; `None` for an error.
async fn code(setting: &Setting) -> Option<String> {
    let code = run_with(&setting.args, POLICY).await.ok()?;
    // `ExitCode` has no `PartialEq`.
    Some(format!("{code:?}"))
}

#[tokio::test]
async fn the_exit_code_says_whether_all_was_taken() {
    let is = |code: ExitCode| Some(format!("{code:?}"));
    let mut setting = Setting::with(lines(0..30)).await;
    setting.args.concurrency = Some(8);
    assert_eq!(code(&setting).await, is(ExitCode::SUCCESS));
    setting.args.json.enabled = true;
    setting.write("{\"id\":\"a\",\"payload\":{\"fails\":1}}");
    assert_eq!(code(&setting).await, is(ExitCode::FAILURE));
    setting.args.json.enabled = false;
    setting.args.catalogue = Some("C".to_owned());
    setting.write(lines(0..30));
    assert_eq!(code(&setting).await, is(ExitCode::SUCCESS));
    setting.write("");
    assert_eq!(code(&setting).await, is(ExitCode::FAILURE), "held back");
    setting.write("id,title");
    assert_eq!(code(&setting).await, None);
}

#[tokio::test]
async fn a_wrong_secret_does_not_cost_the_rejects_of_an_earlier_run() {
    let mut setting = Setting::with(lines(["a"])).await;
    setting.args.client_secret = "wrong".into();
    let rejects = setting.folder.path().join("rejects.ndjson");
    fs::write(&rejects, "precious").unwrap();
    setting.args.rejects = Some(rejects.clone());
    assert_eq!(code(&setting).await, None);
    assert_eq!(fs::read_to_string(rejects).unwrap(), "precious");
}

#[tokio::test]
async fn files_that_cannot_be_used_are_named() {
    let mut setting = Setting::with("precious").await;
    let file = setting.args.file.clone();
    setting.args.rejects = Some(setting.folder.path().join(".").join("in.ndjson"));
    let error = run_with(&setting.args, POLICY).await.unwrap_err();
    assert!(error.to_string().contains("--rejects"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");

    setting.write(lines(["a"]));
    setting.args.rejects = Some(setting.folder.path().join("no/such/folder"));
    let error = run_with(&setting.args, POLICY).await.unwrap_err();
    assert!(error.to_string().contains("--rejects"), "{error}");

    setting.args.file = setting.folder.path().join("missing.ndjson");
    let error = run_with(&setting.args, POLICY).await.unwrap_err();
    assert!(error.to_string().contains("missing.ndjson"), "{error}");
    setting.args.file = setting.folder.path().to_owned();
    let error = run_with(&setting.args, POLICY).await.unwrap_err();
    assert!(format!("{error:#}").contains("directory"), "{error:#}");
    assert!(setting.requests().await.is_empty());
}
