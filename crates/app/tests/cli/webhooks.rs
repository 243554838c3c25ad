use serde_json::{Value, json};

use super::Place;

const ALLOW: &str = "--webhook-private allow";

#[test]
fn an_operator_registers_webhooks_and_sees_them() {
    let place = Place::new();
    // This creates the database.
    let mut created = place.json(&format!(
        "webhooks create --url http://127.0.0.1:9/hooks --type JobPostingApproved \
         --type JobPostingExpired,JobPostingApproved --prefix acme- --description Ours --json {ALLOW}"
    ));
    let id = created["id"].as_str().unwrap().to_owned();
    let secret = created["secret"].take();
    assert!(secret.as_str().unwrap().starts_with("whsec_"), "{secret}");
    let shown = place.json(&format!("webhooks show {id} --json"));
    let expect = json!({"id": id, "url": "http://127.0.0.1:9/hooks",
        "types": ["JobPostingApproved", "JobPostingExpired"], "include_posting": false,
        "description": "Ours", "state": "active", "state_reason": null,
        "created_at": created["created_at"], "updated_at": created["updated_at"],
        "last_success_at": null, "failing_since": null, "owner": "operator",
        "prefixes": ["acme-"], "waiting": 0, "behind_since": null});
    assert_eq!(shown, expect);
    let said = place.says(&format!("webhooks create --url http://127.0.0.1:9 {ALLOW}"));
    assert!(said.contains("secret  whsec_"), "{said}");
    assert_eq!(place.json("webhooks list --json")[0], expect);
    assert_eq!(
        place.json("webhooks list --json --limit 1"),
        json!([expect])
    );
    let said = place.says("webhooks list --limit 1");
    assert!(said.contains(&id) && said.contains("and more"), "{said}");
    let said = place.says(&format!("webhooks show {id}"));
    for part in [
        "state                    active",
        "prefixes                 acme-",
        "owner                    operator",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let checks = place.json("doctor --no-worker --json");
    let mut checks = checks.as_array().unwrap().iter();
    let check = checks.find(|check| check["check"] == "webhooks").unwrap();
    assert_eq!(check["message"], "2, of which 0 disabled");
}

#[test]
fn what_an_operator_does_with_a_webhook_is_in_the_audit() {
    let place = Place::new();
    let by = "--operator ann";
    let create = format!("webhooks create --url http://127.0.0.1:9 --json {ALLOW} {by}");
    let created = place.json(&create);
    let id = created["id"].as_str().unwrap();
    let line = |command: &str| format!("webhooks {} {by}", command.replace("ID", id));
    assert_eq!(place.says(&line("pause ID")), format!("{id} is paused.\n"));
    assert_eq!(place.says(&line("resume ID")), format!("{id} is active.\n"));
    let rotated = place.json(&line("rotate ID --json"));
    assert_ne!(rotated["secret"], created["secret"]);
    // No receiver listens there.
    let test = place.run(&line(&format!("test ID --json {ALLOW}")), &[]);
    assert_eq!(test.status.code(), Some(1));
    let test: Value = serde_json::from_slice(&test.stdout).unwrap();
    assert_eq!(test["status"], Value::Null);
    let error = test["error"].as_str().unwrap();
    assert!(error.starts_with("no connection"), "{error}");
    place.says(&line("replay ID --since 2026-03-01"));
    let change = "--url http://127.0.0.1:8 --type CompanyUpdated,CompanyUpdated --description Ours";
    place.says(&line(&format!("update ID {change} {ALLOW}")));
    let show = format!("webhooks show {id} --json");
    let shown = place.json(&show);
    let found = json!([shown["url"], shown["types"], shown["description"]]);
    assert_eq!(
        found,
        json!(["http://127.0.0.1:8/", ["CompanyUpdated"], "Ours"])
    );
    place.says(&line("update ID --all-types"));
    assert_eq!(place.json(&show)["types"], Value::Null);
    assert_eq!(place.run(&line("update ID"), &[]).status.code(), Some(2));
    let said = place.fails(&line(&format!("resend ID {}", "0".repeat(32))));
    assert!(said.contains("there is no such event"), "{said}");
    let deliveries = format!("webhooks deliveries {id} --json");
    assert_eq!(place.json(&deliveries), json!([]));
    place.says(&line("delete ID"));
    for command in ["show", "pause", "delete", "deliveries", "test", "rotate"] {
        let said = place.fails(&format!("webhooks {command} {id}"));
        assert!(said.contains("there is no such webhook"), "{said}");
    }
    let audit = place.json("audit --json");
    let entries = audit.as_array().unwrap().iter();
    let entries = entries.filter(|entry| entry["subject"] == id && entry["by"] == "ann");
    let (actions, details): (Vec<_>, Vec<_>) = entries
        .map(|entry| (entry["action"].as_str().unwrap(), &entry["details"]))
        .unzip();
    let expect = [
        "create", "update", "update", "rotate", "test", "replay", "update", "update", "delete",
    ];
    assert_eq!(actions, expect.map(|action| format!("webhooks.{action}")));
    assert_eq!(details[5], &json!({"since": "2026-03-01T00:00:00Z"}));
}
