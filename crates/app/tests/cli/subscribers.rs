use std::{io::Write as _, process::Stdio};

use serde_json::json;

use super::{NOBODY, Place, text};

const PEOPLE: &str = "\
email,name,country,plan_category,status,expires_at
Ada@example.com,\"Lovelace, Ada\",Malta,individual,active,2027-01-31
bob@example.com,,,,,
";

fn with_people() -> Place {
    let place = Place::migrated();
    place.write("people.csv", PEOPLE);
    let said = place.says("subscribers import people.csv");
    assert!(said.starts_with("created            2\n"), "{said}");
    place
}

#[test]
fn subscribers_live_from_import_to_export() {
    let place = with_people();
    let said = place.says("subscribers import people.csv");
    assert!(said.contains("unchanged          2\n"), "{said}");
    let said = place.says("subscribers import people.csv --dry-run");
    assert!(said.ends_with("These would be the totals.\n"), "{said}");
    let audit = place.says("audit");
    let lines: Vec<_> = audit.lines().collect();
    assert_eq!(lines.len(), 2, "a dry run is no deed: {lines:?}");
    let counts = "created: 2; file: people.csv; refused: 0; unchanged: 0; updated: 0";
    assert!(lines[0].ends_with(counts), "{lines:?}");

    let shown = place.json("subscribers show ada@example.com --json");
    assert_eq!(shown["name"], "Lovelace, Ada");
    let token = shown["migration_token"].as_str().unwrap();
    assert_eq!(token.len(), 43);
    let unknown = place.fails("subscribers show nobody@example.com");
    assert_eq!(unknown, "Newsletter subscriber not found.\n");

    let exported = place.says("subscribers export");
    let lines: Vec<_> = exported.lines().collect();
    let header = "email,name,country,plan_category,status,expires_at,migration_token";
    let ada = "ada@example.com,\"Lovelace, Ada\",Malta,individual,active,2027-01-31,";
    assert_eq!((lines.len(), lines[0]), (3, header));
    assert_eq!(lines[1], format!("{ada}{token}"));
    place.write("export.csv", &exported);
    let said = place.says("subscribers import export.csv");
    assert!(said.contains("unchanged          2\n"), "{said}");
}

#[test]
fn an_import_names_bad_lines_and_takes_the_others() {
    let place = Place::migrated();
    let mut import = place.command("subscribers import -");
    let import = import.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = import.stderr(Stdio::piped()).spawn().unwrap();
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

    place.write("other.csv", "name,email\n");
    for (file, begin) in [
        ("other.csv", "line 1: the header must be email,name,"),
        ("missing.csv", "the file missing.csv cannot be read"),
    ] {
        let said = place.fails(&format!("subscribers import {file}"));
        assert!(said.starts_with(begin), "{said}");
    }
}

#[test]
fn subscribers_are_moved_once() {
    let place = with_people();
    let launch = "subscribers migrate --all --source launch";
    let begin = "POSTHASTE_MAILERLITE_NEW_GROUP_ID names no group";
    place.refuses(launch, &[], begin);
    let dry = place.run(&format!("{launch} --dry-run"), &[]);
    assert_eq!(dry.status.code(), Some(1));
    let said = text(&dry.stdout);
    assert!(
        said.starts_with("Dry run, nothing was moved. 2 would move, "),
        "{said}"
    );
    assert!(said.contains("WRONG old account: no API key"), "{said}");

    let people = format!("ADA@example.com nobody@example.com {NOBODY}");
    let line = format!("subscribers migrate --no-group {people} --source manual");
    let unknown = place.run(&line, &[]);
    assert_eq!(unknown.status.code(), Some(1));
    let said = format!("not a subscriber: {NOBODY}\nnot a subscriber: nobody@example.com\n");
    assert_eq!(text(&unknown.stderr), said);
    let said = "1 moved, 0 unchanged, 2 unknown.\n";
    assert_eq!(text(&unknown.stdout), said);
    for moved in ["1 moved", "0 moved"] {
        let said = place.says(&format!("{launch} --no-group"));
        assert!(said.starts_with(moved), "{said}");
    }
    let shown = place.says("subscribers show ada@example.com");
    assert!(
        shown.contains("migration_source         manual\n"),
        "{shown}"
    );

    let audit = place.json("audit --json");
    let lines = audit.as_array().unwrap();
    // Neither a refusal nor a dry run is audited.
    assert_eq!(lines.len(), 4);
    let deeds = [(1, 0, 2, false), (1, 0, 0, true), (0, 0, 0, true)];
    for (line, (moved, unchanged, unknown, all)) in lines[1..].iter().zip(deeds) {
        assert_eq!(line["action"], "subscribers.migrate");
        let expect = json!({
            "source": if all { "launch" } else { "manual" },
            "all": all, "moved": moved, "unchanged": unchanged, "unknown": unknown,
        });
        assert_eq!(line["details"], expect);
    }
    let rows = place.json("outbox list --limit 1000000 --json");
    let rows = rows.as_array().unwrap().iter();
    let kinds: Vec<_> = rows.map(|row| &row["kind"]).collect();
    assert_eq!(kinds, ["sync", "sync", "migrate", "migrate"]);
}

#[test]
fn suppressions_outlast_a_database() {
    let place = Place::migrated();
    for person in ["ada@example.com", "stranger@example.com"] {
        let suppress = format!("subscribers suppress {person} --reason asked --operator bea");
        place.says(&suppress);
    }
    let audit = place.says("audit");
    let line = "  bea  subscribers.suppress  stranger@example.com  reason: asked\n";
    assert!(
        audit.ends_with(line) && audit.lines().count() == 2,
        "{audit}"
    );

    let fresh = with_people();
    fresh.write("left.csv", place.says("subscribers suppressions export"));
    let import = "subscribers suppressions import left.csv";
    let unchanged = "0 suppressed, 2 unchanged, 0 refused\n";
    assert_eq!(fresh.says(import), "2 suppressed, 0 unchanged, 0 refused\n");
    assert_eq!(fresh.says(import), unchanged);
    let shown = fresh.says("subscribers show ada@example.com");
    assert!(
        shown.contains("status                   unsubscribed\n"),
        "{shown}"
    );
    assert!(shown.contains("reason: asked; source: import\n"), "{shown}");
    let uuid = shown.lines().find_map(|line| line.strip_prefix("uuid"));
    let reinstate = format!("subscribers reinstate {} --reason back", uuid.unwrap());
    let said = fresh.says(&reinstate);
    assert!(said.starts_with("ada@example.com is active"), "{said}");
    // An older export does not undo it.
    assert_eq!(fresh.says(import), unchanged);
}

#[test]
fn the_audit_finds_a_subject_by_its_other_names() {
    let place = Place::new();
    let client = place.json("clients create --name Ada --scope job-postings:read --json");
    let id = client["client_id"].as_str().unwrap().to_uppercase();
    place.says("subscribers suppress ada@example.com --reason phone");
    for (subject, action) in [
        ("Ada", "clients.create"),
        (&id, "clients.create"),
        ("ADA@example.com", "subscribers.suppress"),
    ] {
        let found = place.json(&format!("audit --json --subject {subject}"));
        assert_eq!(found[0]["action"], action, "{subject}: {found}");
    }
    let said = place.says("audit --subject unknown");
    assert!(
        said.starts_with("No such entry has this subject. A subject"),
        "{said}"
    );
}
