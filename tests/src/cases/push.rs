use std::{
    fs,
    io::{self, Write as _},
    process::Command,
};

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use tokio::task;

use crate::harness::{
    App, CommandResult, Site, Store, fresh, import::line, minimal, run, wait_for,
};

on_sqlite! {
    a_file_is_created_and_then_unchanged,
    refused_lines_are_kept_with_their_errors,
    nothing_of_a_file_is_lost_by_a_mistake,
}

on_postgres! {
    a_server_that_is_killed_is_waited_for,
}

fn command(site: &Site, client: &App, file: &str, more: &[&str]) -> Command {
    let (id, secret) = (&client.client.id, &client.client.secret);
    let mut command = site.command(&["push", file, "--url", &site.url()]);
    command.args(["--client-id", id, "--client-secret", secret]);
    command.args(more);
    command
}

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
    let push = || run(command(&app.site, &app, file.to_str().unwrap(), &[]), "");
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
    let mut nowhere = minimal();
    nowhere["application_url"] = Value::Null;
    let input = [
        line("bad", &nowhere),
        line("good", &minimal()),
        "\nnot json\n".to_owned(),
        // The last line has no line break.
        line("good", &json!({"title": "Changed"})).trim_end().into(),
    ]
    .concat();
    let rejects = app.site.folder().join("rejects");
    let options = ["--rejects", rejects.to_str().unwrap(), "--json"];
    let ran = run(command(&app.site, &app, "-", &options), &input);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        ["lines", "created", "updated", "refused"].map(|of| &summary[of]),
        [4, 1, 1, 2].map(Value::from).each_ref()
    );
    let rejects = fs::read_to_string(rejects).unwrap();
    let rejects: Vec<Value> = rejects
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let bad = rejects.iter().find(|reject| reject["id"] == "bad").unwrap();
    assert_eq!(
        (&bad["status"], &bad["payload"]),
        (&json!(422), &nowhere),
        "{bad}"
    );
    assert!(bad["message"].is_string() && bad["errors"].is_object());
    assert!(rejects.iter().any(|it| it["payload"] == "not json"));
    assert_eq!(app.show("good").await["title"], "Changed");
}

async fn a_server_that_is_killed_is_waited_for(store: Store) {
    let site = Site::new(store);
    let server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let ids: Vec<String> = (0..1_500).map(|_| fresh("kept")).collect();
    let payload = minimal();
    let lines = |ids: &[String]| -> String { ids.iter().map(|id| line(id, &payload)).collect() };
    let mut pushing = command(&app.site, &app, "-", &[]);
    let (reader, mut input) = io::pipe().unwrap();
    pushing.stdin(reader);
    let pushing = task::spawn_blocking(|| wait_for(pushing));
    input.write_all(lines(&ids[..1_000]).as_bytes()).unwrap();
    app.api.until_exists(&ids[100]).await;
    server.kill();
    let _server = app.site.serve(&["--no-worker"]);
    input.write_all(lines(&ids[1_000..]).as_bytes()).unwrap();
    drop(input);
    let ran = pushing.await.unwrap();
    let taken = count(&ran, "created") + count(&ran, "unchanged");
    assert_eq!((ran.code, taken), (Some(0), 1_500), "{ran:#?}");
    // At least the line that was seen is unchanged. Earlier lines may still have been in progress.
    assert_ne!(count(&ran, "unchanged"), 0, "{ran:#?}");
    for id in [&ids[0], &ids[999], &ids[1_499]] {
        app.show(id).await;
    }
}

async fn nothing_of_a_file_is_lost_by_a_mistake(store: Store) {
    let app = App::quiet(store);
    let file = app.site.folder().join("precious");
    let file = file.to_str().unwrap();
    let input = line(&fresh("wrong"), &minimal());
    fs::write(file, &input).unwrap();
    let other = app.site.beside();
    for (site, options, code, expect) in [
        (
            &app.site,
            ["--rejects", file],
            2,
            "--rejects names the file that is pushed",
        ),
        (
            &app.site,
            ["--rejects", "no/such/folder"],
            1,
            "for --rejects cannot be written",
        ),
        (
            &other,
            ["--rejects", "rejects"],
            1,
            "cannot be reached: Connection refused",
        ),
    ] {
        let said = run(command(site, &app, file, &options), "").failed(code);
        assert!(said.contains(expect), "{said}");
        assert_eq!(said.trim().lines().count(), 1, "{said}");
        assert_eq!(fs::read_to_string(file).unwrap(), input);
    }
}
