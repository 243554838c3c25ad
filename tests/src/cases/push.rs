//! The bulk loader.

use std::{
    fs,
    io::Write as _,
    process::{Command, Stdio},
    time::Duration,
};

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use tokio::{task, time::sleep};

use crate::harness::{
    App, CommandResult, SETTLING, Site, Store, eventually, fresh,
    import::{Sending, catalogue, line},
    minimal, run,
};

on_every_store! {
    a_file_is_created_and_then_unchanged,
    refused_lines_are_kept_with_their_errors,
    a_server_that_is_killed_is_waited_for,
}

on_sqlite! {
    options_say_how_lines_are_taken,
    another_import_of_the_catalogue_is_waited_for,
    more_than_the_service_takes_at_once_is_several_imports,
    what_is_wrong_is_said_in_one_line,
}

/// Runs the loader with this standard input.
fn push(app: &App, input: &str, more: &[&str]) -> CommandResult {
    push_as(&app.site, &app.client_id, &app.client_secret, input, more)
}

fn push_as(site: &Site, id: &str, secret: &str, input: &str, more: &[&str]) -> CommandResult {
    run(command(site, id, secret, "-", more), input)
}

fn command(site: &Site, id: &str, secret: &str, file: &str, more: &[&str]) -> Command {
    let url = site.url();
    let options = [
        "push",
        file,
        "--url",
        &url,
        "--client-id",
        id,
        "--client-secret",
        secret,
    ];
    site.command(&[&options[..], more].concat())
}

/// A number in the summary.
fn count(ran: &CommandResult, of: &str) -> u64 {
    let text = format!("{}\n{}", ran.stdout, ran.stderr);
    let found = text.lines().find_map(|line| {
        let line = line.trim();
        let number = line.strip_prefix(of).or_else(|| line.strip_suffix(of))?;
        number
            .trim_matches(|c: char| !c.is_ascii_digit())
            .parse()
            .ok()
    });
    found.unwrap_or_else(|| panic!("no {of} in the summary: {ran:#?}"))
}

async fn a_file_is_created_and_then_unchanged(store: Store) {
    let app = App::quiet(store);
    let ids: Vec<String> = (0..40).map(|_| fresh("file")).collect();
    let input: String = ids.iter().map(|id| line(id, &minimal())).collect();
    let file = app.site.folder().join("postings.ndjson");
    fs::write(&file, &input).unwrap();
    let (id, secret) = (&app.client_id, &app.client_secret);
    let push = || {
        run(
            command(&app.site, id, secret, file.to_str().unwrap(), &[]),
            "",
        )
    };
    let ran = push();
    assert_eq!(
        (ran.code, count(&ran, "created"), count(&ran, "updated")),
        (Some(0), 40, 0),
        "{ran:#?}"
    );
    let before = app.show(&ids[7]).await;
    let ran = push();
    assert_eq!(
        (ran.code, count(&ran, "created"), count(&ran, "unchanged")),
        (Some(0), 0, 40),
        "{ran:#?}"
    );
    assert_eq!(app.show(&ids[7]).await, before);

    // Packed, and as an array.
    let array = format!("[{}]", input.trim_end().replace('\n', ",\n"));
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(input.as_bytes()).unwrap();
    for content in [packed.finish().unwrap(), array.into_bytes()] {
        fs::write(&file, content).unwrap();
        let ran = push();
        assert_eq!((ran.code, count(&ran, "unchanged")), (Some(0), 40));
    }
}

async fn refused_lines_are_kept_with_their_errors(store: Store) {
    let app = App::quiet(store);
    let (good, bad, gone) = (fresh("good"), fresh("bad"), fresh("gone"));
    let mut nowhere = minimal();
    nowhere["application_url"] = Value::Null;
    nowhere["title"] = json!(5);
    let expiration = json!({"expiration": {}});
    let input = [
        line(&bad, &nowhere),
        line(&good, &minimal()),
        line(&gone, &expiration),
        "\n".to_owned(),
        "not json\n".to_owned(),
        // The last line has no line break.
        line(&good, &json!({"title": "Changed"}))
            .trim_end()
            .to_owned(),
    ]
    .concat();
    let file = app.site.folder().join(fresh("rejects"));
    let ran = push(&app, &input, &["--rejects", file.to_str().unwrap()]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert_eq!(
        (
            count(&ran, "created"),
            count(&ran, "updated"),
            count(&ran, "refused")
        ),
        (1, 1, 3),
        "{ran:#?}"
    );
    let rejects = fs::read_to_string(&file).unwrap();
    let rejects: Vec<Value> = rejects
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for reject in &rejects {
        let mut keys: Vec<&String> = reject.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(
            keys,
            ["errors", "id", "message", "payload", "status"],
            "{reject}"
        );
    }
    let find = |id: &str| {
        rejects
            .iter()
            .find(|reject| reject["id"] == json!(id))
            .unwrap()
    };
    let refused = find(&bad);
    assert_eq!(
        (&refused["status"], &refused["payload"]),
        (&json!(422), &nowhere)
    );
    assert!(refused["errors"]["title"].is_array(), "{refused}");
    let gone = find(&gone);
    assert_eq!(
        (&gone["status"], &gone["payload"]),
        (&json!(404), &expiration)
    );
    assert_eq!(gone["message"], "Job posting not found.");
    assert_eq!(app.show(&good).await["title"], "Changed");
}

async fn a_server_that_is_killed_is_waited_for(store: Store) {
    let site = Site::new(store);
    let server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let ids: Vec<String> = (0..1_500).map(|_| fresh("kept")).collect();
    let payload = minimal();
    let lines = |ids: &[String]| -> String { ids.iter().map(|id| line(id, &payload)).collect() };
    let (id, secret) = (&app.client_id, &app.client_secret);
    let mut pushing = command(&app.site, id, secret, "-", &[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = pushing.stdin.take().unwrap();
    input.write_all(lines(&ids[..1_000]).as_bytes()).unwrap();
    eventually("lines are taken in", SETTLING, || async {
        app.api.exists(&ids[100]).await.then_some(())
    })
    .await;
    server.kill();
    let _server = app.site.serve(&["--no-worker"]);
    input.write_all(lines(&ids[1_000..]).as_bytes()).unwrap();
    drop(input);
    let output = task::block_in_place(|| pushing.wait_with_output()).unwrap();
    let ran = CommandResult {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    };
    let taken = count(&ran, "created") + count(&ran, "unchanged");
    assert_eq!((ran.code, taken), (Some(0), 1_500), "{ran:#?}");
    assert!(count(&ran, "unchanged") > 100, "{ran:#?}");
    for id in [&ids[0], &ids[999], &ids[1_499]] {
        app.show(id).await;
    }
}

async fn options_say_how_lines_are_taken(store: Store) {
    let app = App::quiet(store);
    let id = fresh("option");
    let open = line(&id, &minimal());
    let dry = push(&app, &open, &["--dry-run"]);
    assert_eq!((dry.code, count(&dry, "created")), (Some(0), 1), "{dry:#?}");
    assert!(!app.api.exists(&id).await);

    let expiring = open.clone() + &line(&id, &json!({"expiration": {}}));
    let ran = push(&app, &expiring, &["--json"]);
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&summary["lines"], &summary["created"], &summary["expired"]),
        (&json!(2), &json!(1), &json!(1)),
        "{ran:#?}"
    );
    let ran = push(&app, &open, &[]);
    assert_eq!(
        (ran.code, count(&ran, "reopened")),
        (Some(0), 0),
        "{ran:#?}"
    );
    assert_eq!(app.show(&id).await["status"], "expired");
    let ran = push(&app, &open, &["--reopen"]);
    assert_eq!(
        (ran.code, count(&ran, "reopened")),
        (Some(0), 1),
        "{ran:#?}"
    );

    let unknown = line(&id, &json!({"titel": "T"}));
    assert_eq!(push(&app, &unknown, &[]).code, Some(0));
    let ran = push(&app, &unknown, &["--strict"]);
    assert_eq!((ran.code, count(&ran, "refused")), (Some(1), 1), "{ran:#?}");
    assert!(ran.stdout.contains("1 × titel: is not a known"), "{ran:#?}");
}

async fn another_import_of_the_catalogue_is_waited_for(store: Store) {
    let app = App::quiet(store);
    let name = fresh("busy");
    let sending = Sending::begin(&app.api, &catalogue(&name));
    assert!(sending.send(line(&fresh("first"), &minimal())).await);
    eventually("the import runs", SETTLING, || async {
        let answer = app.api.get(&catalogue(&name)).await;
        (answer.status == 200 && answer.data()["running"] == true).then_some(())
    })
    .await;
    let (id, secret) = (&app.client_id, &app.client_secret);
    let pushing = command(&app.site, id, secret, "-", &["--catalogue", &name]);
    let input = line(&fresh("second"), &minimal());
    let pushing = task::spawn_blocking(move || run(pushing, &input));
    sleep(Duration::from_secs(2)).await;
    assert!(!pushing.is_finished());
    sending.end().await.unwrap().complete();
    let ran = pushing.await.unwrap();
    assert_eq!(ran.code, Some(1), "the first one is missing: {ran:#?}");
    assert_eq!(count(&ran, "created"), 1, "{ran:#?}");
}

async fn more_than_the_service_takes_at_once_is_several_imports(store: Store) {
    let site = Site::new(store).with("POSTHASTE_IMPORT_LIMIT", "100000");
    let _server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let ids: Vec<String> = (0..400).map(|_| fresh("many")).collect();
    let payload = minimal();
    let mut input: String = ids.iter().map(|id| line(id, &payload)).collect();
    assert!(input.len() > 150_000, "{}", input.len());
    input.push_str("\nnonsense\n");
    let rejects = app.site.folder().join("rejects");
    let ran = push(&app, &input, &["--rejects", rejects.to_str().unwrap()]);
    assert_eq!(
        (ran.code, count(&ran, "created"), count(&ran, "refused")),
        (Some(1), 400, 1),
        "{ran:#?}"
    );
    let reject: Value = serde_json::from_slice(&fs::read(rejects).unwrap()).unwrap();
    assert_eq!(reject["payload"], "nonsense");

    let ran = push(&app, &input, &["--catalogue", "c"]);
    let problem = ran.failed(1);
    assert!(problem.contains("larger than the service"), "{problem}");
}

async fn what_is_wrong_is_said_in_one_line(store: Store) {
    let app = App::quiet(store);
    let file = app.site.folder().join(fresh("precious"));
    let file = file.to_str().unwrap();
    let input = line(&fresh("wrong"), &minimal());
    fs::write(file, &input).unwrap();
    let check = |ran: CommandResult, expect: &str| {
        let said = ran.failed(1);
        assert!(said.contains(expect), "{said}");
        assert_eq!(said.trim().lines().count(), 1, "{said}");
        assert_eq!(fs::read_to_string(file).unwrap(), input);
    };
    let (id, secret) = (&app.client_id, &app.client_secret);
    let wrong = push_as(&app.site, id, "sesame", &input, &["--rejects", file]);
    check(wrong, "check --client-id and --client-secret");
    check(
        run(
            command(&app.site, id, secret, file, &["--rejects", file]),
            "",
        ),
        "--rejects names the file that is pushed",
    );
    let nowhere = push(&app, &input, &["--rejects", "no/such/folder"]);
    check(nowhere, "for --rejects cannot be written");
    check(push(&app, "id,title\na,b\n", &[]), "it looks like CSV");
    check(
        run(command(&app.site, id, secret, "missing", &[]), ""),
        "missing cannot be read",
    );
    let broken = format!("[{}, nonsense]", input.trim_end());
    check(push(&app, &broken, &[]), "cannot be read beyond line 1");
    let nobody = app.site.beside();
    check(
        push_as(&nobody, id, secret, &input, &[]),
        "cannot be reached: Connection refused",
    );
}
