use std::process::Command;

use crate::harness::{App, Site, Store, run};

on_sqlite! {
    a_command_says_which_database_it_made_and_that_a_name_is_taken,
    the_printed_openapi_document_is_the_served_one,
    the_demo_shows_everything_and_its_lines_can_be_pasted,
}

async fn a_command_says_which_database_it_made_and_that_a_name_is_taken(store: Store) {
    let site = Site::new(store);
    let made = "created a new database";
    let create = [
        "clients",
        "create",
        "--name",
        "acme",
        "--scope",
        "job-postings:read",
        "--json",
    ];
    for (is_new, is_taken) in [(true, false), (false, true)] {
        let created = site.run(&create);
        assert_eq!(created.stderr.contains(made), is_new, "{created:#?}");
        let taken = created.stderr.contains("2 clients are called \"acme\"");
        assert_eq!(taken, is_taken, "{created:#?}");
        let printed: serde_json::Value = serde_json::from_str(&created.succeeded()).unwrap();
        let members: Vec<_> = printed.as_object().unwrap().keys().collect();
        assert_eq!(members, ["client_id", "client_secret"]);
    }
}

async fn the_printed_openapi_document_is_the_served_one(store: Store) {
    let app = App::quiet(store);
    let served = app.api.get("/api/openapi.json").await.json();
    assert_eq!(served, app.site.json(&["openapi"]));
}

async fn the_demo_shows_everything_and_its_lines_can_be_pasted(store: Store) {
    // The demo uses its own folder, database and ports.
    let site = Site::new(store);
    let mut command = site.demo(&["--exit"]);
    // The folder is kept, because the commands that the demo prints need it.
    command.env("TMPDIR", site.folder());
    let printed = run(command, "").succeeded();
    for part in [
        "approved",
        "rejected",
        "refused",
        "/oauth/token",
        "/api/job-board/job-postings",
    ] {
        assert!(printed.to_lowercase().contains(part), "{part}: {printed}");
    }
    let lines = printed
        .find("\n# ")
        .unwrap_or_else(|| panic!("nothing to paste: {printed}"));
    let lines = &printed[lines..];
    assert!(lines.contains("curl "), "{lines}");
    // Background jobs end with the shell.
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", &format!("trap 'kill $!' EXIT\n{lines}")]);
    // Other programs of this machine may use its port.
    shell.env("POSTHASTE_ADMIN_BIND", "off");
    shell.env("POSTHASTE_CONSOLE_BIND", "off");
    let ran = run(shell, "");
    assert_eq!(ran.code, Some(0), "{lines}\n{ran:#?}");
    assert!(ran.stdout.contains(r#"{"data":{"uuid":""#), "{ran:#?}");
    assert!(!ran.stdout.contains(r#""message":"#), "{ran:#?}");
}
