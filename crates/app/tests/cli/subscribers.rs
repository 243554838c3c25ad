//! The commands about newsletter subscribers, on the embedded store.

use std::{fs, io::Write as _, process::Stdio};

use tempfile::TempDir;

use crate::{posthaste, run, text};

const PEOPLE: &str = "\
email,name,country,plan_category,status,expires_at
Ada@example.com,\"Lovelace, Ada\",Malta,individual,active,2027-01-31
bob@example.com,,,,,
";

/// A folder with a database.
fn installed() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    assert!(run(&folder, &["migrate"], &[]).status.success());
    folder
}

#[test]
fn subscribers_live_from_import_to_export() {
    let folder = installed();
    fs::write(folder.path().join("people.csv"), PEOPLE).unwrap();
    let import = |file: &str| run(&folder, &["subscribers", "import", file], &[]);
    let first = import("people.csv");
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let summary = text(&first.stdout);
    assert!(summary.starts_with("created            2\n"), "{summary}");
    let again = import("people.csv");
    assert_eq!(again.status.code(), Some(0));
    let summary = text(&again.stdout);
    assert!(summary.contains("unchanged          2\n"), "{summary}");

    let dry = run(
        &folder,
        &["subscribers", "import", "people.csv", "--dry-run"],
        &[],
    );
    assert_eq!(dry.status.code(), Some(0), "{}", text(&dry.stderr));
    let summary = text(&dry.stdout);
    assert!(summary.ends_with("would become of it.\n"), "{summary}");
    let audit = run(&folder, &["audit"], &[("POSTHASTE_OPERATOR", "bea")]);
    let lines: Vec<_> = text(&audit.stdout).lines().collect();
    assert_eq!(lines.len(), 2, "a dry run is no deed: {lines:?}");
    let counts = "created: 2; file: people.csv; refused: 0; unchanged: 0; updated: 0";
    assert!(lines[0].ends_with(counts), "{lines:?}");

    let show = |address: &str| run(&folder, &["subscribers", "show", address, "--json"], &[]);
    let shown: serde_json::Value = serde_json::from_slice(&show("ada@example.com").stdout).unwrap();
    assert_eq!(shown["name"], "Lovelace, Ada");
    assert_eq!(shown["mailerlite_account"], "old");
    let token = shown["migration_token"].as_str().unwrap();
    assert_eq!(token.len(), 43);
    let unknown = show("nobody@example.com");
    assert_eq!(unknown.status.code(), Some(1));
    let said = text(&unknown.stderr);
    assert_eq!(said, "error: Newsletter subscriber not found.\n");

    let exported = run(&folder, &["subscribers", "export"], &[]);
    assert_eq!(exported.status.code(), Some(0));
    let lines: Vec<_> = text(&exported.stdout).lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(
        lines[0],
        "email,name,country,plan_category,status,expires_at,migration_token"
    );
    let ada = "ada@example.com,\"Lovelace, Ada\",Malta,individual,active,2027-01-31,";
    assert_eq!(lines[1], format!("{ada}{token}"));

    // What was exported can be imported.
    fs::write(folder.path().join("export.csv"), &exported.stdout).unwrap();
    let same = import("export.csv");
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stderr));
    assert!(text(&same.stdout).contains("unchanged          2\n"));
}

#[test]
fn an_import_names_bad_lines_and_takes_the_others() {
    let folder = installed();
    let mut child = posthaste(folder.path(), &["subscribers", "import", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = format!("{PEOPLE}nobody,,,team,active,\n");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(lines.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert_eq!(said, "line 4: email must be a valid e-mail address\n");
    let summary = text(&output.stdout);
    assert!(summary.contains("created            2\n"), "{summary}");
    assert!(summary.contains("refused            1\n"), "{summary}");

    fs::write(folder.path().join("other.csv"), "name,email\n").unwrap();
    let other = run(&folder, &["subscribers", "import", "other.csv"], &[]);
    assert_eq!(other.status.code(), Some(1));
    let said = text(&other.stderr);
    assert!(
        said.starts_with("error: line 1: the header must be email,name,"),
        "{said}"
    );
    let missing = run(&folder, &["subscribers", "import", "missing.csv"], &[]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).starts_with("error: the file missing.csv cannot be read"));
}

#[test]
fn subscribers_are_moved_once() {
    let folder = installed();
    fs::write(folder.path().join("people.csv"), PEOPLE).unwrap();
    run(&folder, &["subscribers", "import", "people.csv"], &[]);
    let launch = ["subscribers", "migrate", "--all", "--source", "launch"];
    let refused = run(&folder, &launch, &[]);
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(said.contains("POSTHASTE_MAILERLITE_NEW_GROUP_ID"), "{said}");
    let dry = run(&folder, &[&launch[..], &["--dry-run"]].concat(), &[]);
    assert_eq!(dry.status.code(), Some(1));
    let said = text(&dry.stdout);
    assert!(
        said.starts_with("Nobody was moved. 2 would move, "),
        "{said}"
    );
    assert!(said.contains("WRONG old account: no API key"), "{said}");

    let migrate = |arguments: &[&str]| {
        let arguments = [&["subscribers", "migrate", "--no-group"], arguments].concat();
        run(&folder, &arguments, &[])
    };
    let unknown = migrate(&[
        "ADA@example.com",
        "nobody@example.com",
        "019a3c5e-0000-7000-8000-000000000000",
        "--source",
        "manual",
    ]);
    assert_eq!(unknown.status.code(), Some(1));
    assert_eq!(
        text(&unknown.stderr),
        "not a subscriber: 019a3c5e-0000-7000-8000-000000000000\n\
         not a subscriber: nobody@example.com\n"
    );
    assert_eq!(
        text(&unknown.stdout),
        "1 moved, 0 had moved before, 2 unknown.\n"
    );
    for moved in ["1 moved", "0 moved"] {
        let all = migrate(&["--all", "--source", "launch"]);
        assert_eq!(all.status.code(), Some(0), "{}", text(&all.stderr));
        let said = text(&all.stdout);
        assert!(said.starts_with(moved), "{said}");
    }
    let show = run(&folder, &["subscribers", "show", "ada@example.com"], &[]);
    assert!(text(&show.stdout).contains(", by manual, under way\n"));

    let audit = run(&folder, &["audit", "--json"], &[]);
    let lines: serde_json::Value = serde_json::from_slice(&audit.stdout).unwrap();
    let lines: Vec<_> = lines.as_array().unwrap().iter().skip(1).collect();
    assert_eq!(
        lines.len(),
        3,
        "neither what was refused nor a dry run is a deed"
    );
    for (line, (moved, unchanged, unknown, all)) in
        lines
            .iter()
            .zip([(1, 0, 2, false), (1, 0, 0, true), (0, 0, 0, true)])
    {
        assert_eq!(line["action"], "subscribers.migrate");
        let expect = serde_json::json!({
            "source": if all { "launch" } else { "manual" },
            "all": all, "moved": moved, "unchanged": unchanged, "unknown": unknown,
        });
        assert_eq!(line["details"], expect);
    }

    let rows = run(
        &folder,
        &["outbox", "list", "--limit", "1000000", "--json"],
        &[],
    );
    let rows: serde_json::Value = serde_json::from_slice(&rows.stdout).unwrap();
    let kinds: Vec<_> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["kind"])
        .collect();
    assert_eq!(kinds, ["sync", "sync", "migrate", "migrate"]);
}

#[test]
fn an_export_whose_reader_goes_away_is_no_failure() {
    let folder = installed();
    fs::write(folder.path().join("people.csv"), PEOPLE).unwrap();
    run(&folder, &["subscribers", "import", "people.csv"], &[]);
    let mut child = posthaste(folder.path(), &["subscribers", "export"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
}

/// Who has left is not forgotten with the database.
#[test]
fn suppressions_outlast_a_database() {
    let folder = installed();
    let suppress = |person: &str| {
        let command = ["subscribers", "suppress", person, "--reason", "by phone"];
        run(&folder, &command, &[("POSTHASTE_OPERATOR", "bea")])
    };
    for person in ["ada@example.com", "stranger@example.com"] {
        let done = suppress(person);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    }
    let audit = run(&folder, &["audit"], &[]);
    let lines: Vec<_> = text(&audit.stdout).lines().collect();
    assert_eq!(lines.len(), 2);
    let line = "  bea  subscribers.suppress  stranger@example.com  reason: by phone";
    assert!(lines[1].ends_with(line), "{lines:?}");

    let command = ["subscribers", "suppressions", "export"];
    let exported = run(&folder, &command, &[]);
    assert_eq!(exported.status.code(), Some(0));
    let fresh = installed();
    fs::write(fresh.path().join("left.csv"), &exported.stdout).unwrap();
    fs::write(fresh.path().join("people.csv"), PEOPLE).unwrap();
    let command = ["subscribers", "suppressions", "import", "left.csv"];
    for expect in [
        "2 suppressed, 0 unchanged, 0 refused\n",
        "0 suppressed, 2 unchanged, 0 refused\n",
    ] {
        let imported = run(&fresh, &command, &[]);
        assert_eq!(
            imported.status.code(),
            Some(0),
            "{}",
            text(&imported.stderr)
        );
        assert_eq!(text(&imported.stdout), expect);
    }
    run(&fresh, &["subscribers", "import", "people.csv"], &[]);
    let ada = run(&fresh, &["subscribers", "show", "ada@example.com"], &[]);
    let shown = text(&ada.stdout);
    assert!(
        shown.contains("status            unsubscribed\n"),
        "{shown}"
    );
    assert!(shown.contains(", by import: by phone\n"), "{shown}");
    let uuid = shown.lines().find_map(|line| line.strip_prefix("uuid"));
    let uuid = uuid.unwrap().trim();
    let command = ["subscribers", "reinstate", uuid, "--reason", "back"];
    let done = run(&fresh, &command, &[]);
    assert!(text(&done.stdout).starts_with("ada@example.com is active"));
    // What was exported before that does not undo it.
    let command = ["subscribers", "suppressions", "import", "left.csv"];
    let imported = run(&fresh, &command, &[]);
    assert_eq!(
        text(&imported.stdout),
        "0 suppressed, 2 unchanged, 0 refused\n"
    );
}
