//! The commands about webhooks, and the doctor's line about them.

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use super::{check_refused, run, text};

const ALLOW: (&str, &str) = ("POSTHASTE_WEBHOOK_PRIVATE", "allow");

/// Runs a command of ann's; its standard output, and all that it said.
fn ran(folder: &TempDir, arguments: &[&str], code: i32) -> (String, String) {
    let variables = [ALLOW, ("POSTHASTE_OPERATOR", "ann")];
    let output = run(folder, arguments, &variables);
    let said = text(&output.stdout).to_owned();
    let all = format!("{said}{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {all}");
    (said, all)
}

/// The JSON that a command of ann's prints.
fn read(folder: &TempDir, arguments: &[&str]) -> Value {
    serde_json::from_str(&ran(folder, arguments, 0).0).unwrap()
}

#[test]
fn an_operator_registers_webhooks_and_sees_them() {
    let folder = tempdir().unwrap();
    let ran = |arguments: &[&str]| ran(&folder, arguments, 0).0;
    let read = |arguments: &[&str]| read(&folder, arguments);
    // It makes the database.
    let create = [
        "webhooks",
        "create",
        "--url",
        "http://127.0.0.1:9/hooks",
        "--type",
        "JobPostingApproved",
        "--type",
        "JobPostingExpired,JobPostingApproved",
        "--prefix",
        "acme-",
        "--description",
        "Ours",
        "--json",
    ];
    let mut created = read(&create);
    let id = created["id"].as_str().unwrap().to_owned();
    let secret = created["secret"].take();
    assert!(secret.as_str().unwrap().starts_with("whsec_"), "{secret}");
    created.as_object_mut().unwrap().remove("secret");
    let shown = read(&["webhooks", "show", &id, "--json"]);
    let expect = json!({"id": id, "url": "http://127.0.0.1:9/hooks",
        "types": ["JobPostingApproved", "JobPostingExpired"], "include_posting": false,
        "description": "Ours", "state": "active", "state_reason": null,
        "created_at": created["created_at"], "updated_at": created["updated_at"],
        "last_success_at": null, "failing_since": null, "owner": "operator",
        "prefixes": ["acme-"], "waiting": 0, "behind_since": null});
    assert_eq!(shown, expect);
    let said = ran(&["webhooks", "create", "--url", "http://127.0.0.1:9"]);
    assert!(said.contains("secret  whsec_"), "{said}");
    assert_eq!(read(&["webhooks", "list", "--json"])[0], expect);
    let one = read(&["webhooks", "list", "--json", "--limit", "1"]);
    assert_eq!(one, json!([expect]));
    let said = ran(&["webhooks", "list", "--limit", "1"]);
    assert!(said.contains(&id) && said.contains("and more"), "{said}");
    let said = ran(&["webhooks", "show", &id]);
    for part in [
        "state             active",
        "postings          acme-",
        "owner             operator",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let said = ran(&["doctor", "--no-worker", "--json"]);
    let checks: Vec<Value> = serde_json::from_str(&said).unwrap();
    let mut checks = checks.iter().filter(|check| check["check"] == "webhooks");
    let first = checks.next().unwrap();
    assert_eq!(first["message"], "2, of which 0 disabled");
}

#[test]
fn what_an_operator_does_with_a_webhook_is_in_the_audit() {
    let folder = tempdir().unwrap();
    let ran = |arguments: &[&str], code: i32| ran(&folder, arguments, code);
    let read = |arguments: &[&str]| read(&folder, arguments);
    let created = read(&[
        "webhooks",
        "create",
        "--url",
        "http://127.0.0.1:9",
        "--json",
    ]);
    let id = created["id"].as_str().unwrap();
    let secret = &created["secret"];
    assert_eq!(
        ran(&["webhooks", "pause", id], 0).0,
        format!("{id} is paused.\n")
    );
    assert_eq!(
        ran(&["webhooks", "resume", id], 0).0,
        format!("{id} is active.\n")
    );
    let rotated = read(&["webhooks", "rotate", id, "--json"]);
    assert_ne!(rotated["secret"], *secret);
    // No receiver listens there.
    let (test, _) = ran(&["webhooks", "test", id, "--json"], 1);
    let test: Value = serde_json::from_str(&test).unwrap();
    assert_eq!(test["status"], Value::Null);
    assert!(
        test["error"].as_str().unwrap().starts_with("no connection"),
        "{test}"
    );
    ran(&["webhooks", "replay", id, "--since", "2026-03-01"], 0);
    let update = ["webhooks", "update", id, "--url", "http://127.0.0.1:8"];
    let more = [
        "--type",
        "CompanyUpdated,CompanyUpdated",
        "--description",
        "Ours",
    ];
    ran(&[&update[..], &more].concat(), 0);
    let shown = read(&["webhooks", "show", id, "--json"]);
    assert_eq!(shown["url"], "http://127.0.0.1:8/");
    assert_eq!(
        (&shown["types"], &shown["description"]),
        (&json!(["CompanyUpdated"]), &json!("Ours"))
    );
    ran(&["webhooks", "update", id, "--all-types"], 0);
    assert_eq!(
        read(&["webhooks", "show", id, "--json"])["types"],
        Value::Null
    );
    ran(&["webhooks", "update", id], 2);
    let (_, all) = ran(&["webhooks", "resend", id, &"0".repeat(32)], 1);
    assert!(all.contains("there is no such event"), "{all}");
    assert_eq!(read(&["webhooks", "deliveries", id, "--json"]), json!([]));
    ran(&["webhooks", "delete", id], 0);
    for command in ["show", "pause", "delete", "deliveries", "test", "rotate"] {
        let (_, all) = ran(&["webhooks", command, id], 1);
        assert!(all.contains("there is no such webhook"), "{all}");
    }
    let audit = read(&["audit", "--json"]);
    let entries = audit.as_array().unwrap().iter();
    let entries: Vec<_> = entries
        .filter(|entry| entry["subject"] == id)
        .map(|entry| {
            (
                entry["by"].as_str().unwrap(),
                entry["action"].as_str().unwrap(),
            )
        })
        .collect();
    let actions = [
        "create", "update", "update", "rotate", "test", "replay", "update", "update", "delete",
    ];
    let expect = actions.map(|action| format!("webhooks.{action}"));
    let expect: Vec<_> = expect
        .iter()
        .map(|action| ("ann", action.as_str()))
        .collect();
    assert_eq!(entries, expect);
}

#[test]
fn bad_values_are_told_in_a_line() {
    let folder = tempdir().unwrap();
    for (arguments, variables, begin) in [
        (
            &["serve"] as &[&str],
            ("POSTHASTE_WEBHOOK_RETRY_SECONDS", "5,x"),
            "POSTHASTE_WEBHOOK_RETRY_SECONDS: must be whole seconds",
        ),
        (
            &["worker"],
            ("POSTHASTE_WEBHOOK_PRIVATE", "yes"),
            "POSTHASTE_WEBHOOK_PRIVATE: \"yes\" is neither `refuse` nor `allow`",
        ),
        (
            &["webhooks", "create", "--url", "http://a.example"],
            ("NONE", ""),
            "--url: must be an https URL",
        ),
        (
            &["webhooks", "create", "--url", "https://10.0.0.1"],
            ("NONE", ""),
            "--url: must lead to a public address",
        ),
        (
            &[
                "webhooks",
                "create",
                "--url",
                "https://a.example",
                "--type",
                "X",
            ],
            ("NONE", ""),
            "--type: \"X\" is not one of JobPostingCreated",
        ),
        (
            &["webhooks", "show", "1"],
            ("NONE", ""),
            "ID: \"1\" is not a webhook's id",
        ),
    ] {
        check_refused(&folder, &[variables], arguments, begin);
    }
}
