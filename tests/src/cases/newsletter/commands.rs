//! An operator's commands: looking at subscribers, moving them, writing them out.

use serde_json::{Value, json};

use crate::harness::{
    Ran, SETTLING, Site, Store, eventually,
    mailerlite::Account,
    newsletter::{Newsletter, event, membership, person},
    run,
};

on_every_store! {
    a_subscriber_is_shown,
    an_operator_suppresses_and_reinstates,
    who_is_not_there_and_what_is_no_address_are_told_apart,
    an_operator_moves_people_by_hand,
    a_launch_that_is_interrupted_goes_on_later,
    a_launch_moves_everybody_at_the_provider,
    everybody_is_exported_in_order,
    usage_errors_are_exit_code_two,
}

/// Takes people in without a server.
pub(super) fn import(site: &Site, lines: &[&str]) -> Ran {
    let header = "email,name,country,plan_category,status,expires_at";
    let command = site.command(&["subscribers", "import", "-"]);
    run(command, &format!("{header}\n{}\n", lines.join("\n")))
}

/// A subscriber as the command shows it.
pub(super) fn show(site: &Site, email: &str) -> Value {
    let printed = site.run(&["subscribers", "show", email, "--json"]);
    serde_json::from_str(&printed.succeeded()).unwrap()
}

/// What waits in the outbox.
pub(super) fn waiting(site: &Site) -> Vec<Value> {
    let rows = site
        .run(&["outbox", "list", "--limit", "1000000", "--json"])
        .succeeded();
    serde_json::from_str(&rows).unwrap()
}

async fn a_subscriber_is_shown(store: Store) {
    let newsletter = Newsletter::shared(store);
    let email = person();
    let mut body = membership("individual", "expired", Some("2027-01-31"));
    body["name"] = json!("Ada");
    let mut record = newsletter.report(&email, &body).await;
    let token = newsletter.token_of(&email);
    let bits = base64::Engine::decode(&base64::prelude::BASE64_URL_SAFE_NO_PAD, &token);
    assert_eq!(bits.unwrap().len(), 32, "256 bits");
    let mut shown = show(&newsletter.app.site, &email.to_uppercase());
    // The record as the API has it, what lets the person move, and what else an operator asks.
    assert_eq!(shown["migration_token"], token.as_str());
    assert_eq!(shown["suppression"], Value::Null);
    let answered = |shown: &mut Value, record: &Value| {
        let keys = record.as_object().unwrap();
        let shown = shown.as_object_mut().unwrap();
        shown.retain(|key, _| keys.contains_key(key));
    };
    answered(&mut shown, &record);
    assert_eq!(shown, record);
    let text = newsletter.app.run(&["subscribers", "show", &email]);
    let text = text.succeeded();
    for part in [
        email.as_str(),
        record["uuid"].as_str().unwrap(),
        "individual",
        "expired",
        "2027-01-31",
        "old",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains(&token), "{text}");
    let uuid = record["uuid"].as_str().unwrap();
    assert_eq!(show(&newsletter.app.site, uuid)["email"], email.as_str());

    newsletter.confirm(&token).await;
    newsletter.settled(&email).await;
    record = newsletter.show(&email).await;
    let mut shown = show(&newsletter.app.site, &email);
    assert_eq!(shown["tasks"], json!([]));
    assert!(shown["told_at"].is_string(), "{shown}");
    answered(&mut shown, &record);
    assert_eq!(shown, record);
}

/// An old delivery that is sent again does not undo a reinstatement; a new unsubscription does.
async fn an_operator_suppresses_and_reinstates(store: Store) {
    let newsletter = Newsletter::shared(store);
    let provider = &newsletter.provider;
    let both = [Account::Old, Account::New];
    let email = person();
    newsletter.report(&email, &json!({"name": "Ada"})).await;
    newsletter.settled(&email).await;
    provider.add(Account::New, &json!({"email": email}));
    let decide = |command: &str| {
        let reason = ["--reason", "asked by phone", "--operator", "ann"];
        let command = [&["subscribers", command, &email][..], &reason].concat();
        newsletter.app.run(&command).succeeded()
    };
    let status = async || newsletter.show(&email).await["status"].clone();
    let there = |account| provider.subscriber(account, &email).unwrap()["status"].clone();

    let said = decide("suppress");
    assert!(said.contains("both accounts are told"), "{said}");
    newsletter.settled(&email).await;
    assert_eq!(both.map(there), ["unsubscribed", "unsubscribed"]);
    let shown = show(&newsletter.app.site, &email);
    assert_eq!(shown["suppression"]["source"], "operator");
    assert_eq!(shown["suppression"]["reason"], "asked by phone");

    // They subscribe again.
    for account in both {
        provider.set_status(account, &email, "active");
    }
    decide("reinstate");
    newsletter.settled(&email).await;
    let gone = event("subscriber.unsubscribed", &email, "unsubscribed");
    newsletter.deliver(&gone).await;
    newsletter.settled(&email).await;
    assert_eq!(status().await, "active");
    assert_eq!(both.map(there), ["active", "active"]);

    provider.set_status(Account::New, &email, "unsubscribed");
    newsletter.deliver(&gone).await;
    newsletter.settled(&email).await;
    assert_eq!(status().await, "unsubscribed");
    assert_eq!(both.map(there), ["unsubscribed", "unsubscribed"]);

    let token = newsletter.token_of(&email);
    decide("rotate-token");
    assert_ne!(newsletter.token_of(&email), token);
    assert_eq!(newsletter.confirm(&token).await.status, 404);

    let printed = newsletter.app.run(&["audit", "--json"]).succeeded();
    let lines: Vec<Value> = serde_json::from_str(&printed).unwrap();
    let theirs: Vec<_> = lines
        .iter()
        .filter(|line| line["email"] == email.as_str())
        .map(|line| (line["by"].clone(), line["action"].clone()))
        .collect();
    let by_ann = |action: &str| (json!("ann"), json!(action));
    let expect = [
        by_ann("subscribers.suppress"),
        by_ann("subscribers.reinstate"),
        by_ann("subscribers.rotate-token"),
    ];
    assert_eq!(theirs, expect);
}

async fn who_is_not_there_and_what_is_no_address_are_told_apart(store: Store) {
    let newsletter = Newsletter::shared(store);
    let unknown = person();
    for arguments in [
        &["subscribers", "show", &unknown][..],
        &["subscribers", "show", &unknown, "--json"],
        &["subscribers", "migrate", &unknown, "--source", "manual"],
    ] {
        let complaint = newsletter.app.run(arguments).failed(1);
        assert!(complaint.contains("not"), "{complaint}");
    }
    newsletter
        .app
        .run(&["subscribers", "show", "nobody"])
        .failed(2);
    newsletter
        .app
        .run(&["subscribers", "migrate", "nobody", "--source", "manual"])
        .failed(2);
}

async fn an_operator_moves_people_by_hand(store: Store) {
    let newsletter = Newsletter::shared(store);
    let [one, other, unknown] = [person(), person(), person()];
    for email in [&one, &other] {
        newsletter.report(email, &json!({"name": "Ada"})).await;
        newsletter.settled(email).await;
    }
    let upper = one.to_uppercase();
    let manual = ["--source", "manual"];
    let migrate = |emails: &[&str]| {
        let command = [&["subscribers", "migrate"], emails, &manual].concat();
        newsletter.app.run(&command)
    };
    migrate(&[&upper]).succeeded();
    newsletter.settled(&one).await;
    let record = newsletter.show(&one).await;
    assert_eq!(record["migration_source"], "manual");
    assert_eq!(record["mailerlite_account"], "new");
    // Those who are known move, whoever else is named; and nobody twice.
    let complaint = migrate(&[&one, &unknown, &other]).failed(1);
    assert!(complaint.contains(&unknown), "{complaint}");
    newsletter.settled(&other).await;
    assert_eq!(newsletter.show(&other).await["migration_source"], "manual");
    assert_eq!(newsletter.show(&one).await, record);
    newsletter.settled(&one).await;
    for email in [&one, &other] {
        assert_eq!(newsletter.methods(Account::New, email), ["POST"]);
        assert_eq!(
            newsletter.methods(Account::Old, email),
            ["POST", "GET", "GET", "DELETE"]
        );
    }
}

async fn a_launch_that_is_interrupted_goes_on_later(store: Store) {
    // Two requests a minute are one person a minute.
    let slow = Site::migrated(store).with("POSTHASTE_MAILERLITE_REQUESTS_PER_MINUTE", "2");
    let emails: Vec<_> = (0..5).map(|_| person()).collect();
    let lines: Vec<_> = emails.iter().map(|email| format!("{email},,,,,")).collect();
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    import(&slow, &lines).succeeded();
    let launch = [
        "subscribers",
        "migrate",
        "--all",
        "--source",
        "launch",
        "--no-group",
    ];
    let running = slow.begin(&launch);
    let moved = || {
        let mut rows = waiting(&slow);
        rows.retain(|row| row["kind"] == "migrate");
        rows.len()
    };
    eventually("somebody is on the way", SETTLING, || async {
        (moved() == 1).then_some(())
    })
    .await;
    running.interrupt();
    assert_eq!(running.stopped().code(), Some(130), "{}", slow.log());
    assert!(slow.log().contains("1 moved"), "{}", slow.log());
    assert_eq!(moved(), 1);

    let fast = slow
        .beside()
        .with("POSTHASTE_MAILERLITE_REQUESTS_PER_MINUTE", "60000");
    let mut records: Vec<_> = emails.iter().map(|email| show(&fast, email)).collect();
    let printed = fast.run(&launch).succeeded();
    assert!(printed.contains("4 moved"), "{printed}");
    assert_eq!(moved(), 5);
    for (email, record) in emails.iter().zip(&mut records) {
        let after = show(&fast, email);
        assert_eq!(after["migration_source"], "launch");
        if record["mailerlite_account"] == "new" {
            assert_eq!(&after, record, "who had moved stays as they are");
        }
    }
    let printed = fast.run(&launch).succeeded();
    assert!(printed.contains("0 moved"), "{printed}");
    assert_eq!(moved(), 5);
}

async fn a_launch_moves_everybody_at_the_provider(store: Store) {
    let newsletter = Newsletter::served(store);
    let emails: Vec<_> = (0..30).map(|_| person()).collect();
    for email in &emails {
        newsletter.report(email, &json!({"name": "Ada"})).await;
    }
    let stranger = person();
    newsletter
        .deliver(&event("subscriber.unsubscribed", &stranger, "unsubscribed"))
        .await;
    let worker = newsletter.work();
    for email in &emails {
        newsletter.settled(email).await;
    }
    newsletter.confirm(&newsletter.token_of(&emails[0])).await;
    newsletter
        .app
        .run(&["subscribers", "migrate", "--all", "--source", "launch"])
        .succeeded();
    for email in &emails {
        newsletter.settled(email).await;
    }
    let provider = &newsletter.provider;
    assert_eq!(provider.count(Account::Old), 0);
    assert_eq!(provider.count(Account::New), emails.len());
    for (nth, email) in emails.iter().enumerate() {
        assert_eq!(provider.automation_starts(email), 1);
        let source = if nth == 0 {
            "email_confirmation"
        } else {
            "launch"
        };
        assert_eq!(newsletter.show(email).await["migration_source"], source);
    }
    // Who was never reported cannot be moved.
    newsletter
        .app
        .api
        .get(&Newsletter::path(&stranger))
        .await
        .error(404);
    worker.terminate();
    assert_eq!(worker.stopped().code(), Some(0));
}

async fn everybody_is_exported_in_order(store: Store) {
    let site = Site::migrated(store);
    let header = "email,name,country,plan_category,status,expires_at,migration_token\n";
    assert_eq!(site.run(&["subscribers", "export"]).succeeded(), header);
    let lines = [
        "b@example.com,\"Lovelace, \"\"Ada\"\"\",Côte d'Ivoire,team,canceled,2027-01-31",
        "a@example.com,,,,,",
        "B.2@Example.com,\"=1+1\",,individual,active,",
    ];
    import(&site, &lines).succeeded();
    let token = |email| show(&site, email)["migration_token"].clone();
    let [a, b2, b] = ["a@example.com", "b.2@example.com", "b@example.com"].map(token);
    let expect = format!(
        "{header}\
         a@example.com,,,,,,{}\n\
         b.2@example.com,=1+1,,individual,active,,{}\n\
         b@example.com,\"Lovelace, \"\"Ada\"\"\",Côte d'Ivoire,team,canceled,2027-01-31,{}\n",
        a.as_str().unwrap(),
        b2.as_str().unwrap(),
        b.as_str().unwrap(),
    );
    assert_eq!(site.run(&["subscribers", "export"]).succeeded(), expect);
}

async fn usage_errors_are_exit_code_two(store: Store) {
    let site = Site::new(store);
    let email = "ada@example.com";
    for arguments in [
        &[][..],
        &["show"],
        &["import"],
        &["migrate"],
        &["migrate", email],
        &["migrate", "--all"],
        &["migrate", "--source", "manual"],
        &["migrate", "--all", email, "--source", "launch"],
        &["migrate", email, "--source", "email_confirmation"],
        &["migrate", email, "--source", "whim"],
        &["export", "extra"],
    ] {
        let arguments = [&["subscribers"], arguments].concat();
        site.run(&arguments).failed(2);
    }
    for (name, value) in [
        ("POSTHASTE_MAILERLITE_OLD_API_KEY", "two words"),
        ("POSTHASTE_MAILERLITE_NEW_BASE_URL", "nonsense"),
        ("POSTHASTE_MAILERLITE_REQUESTS_PER_MINUTE", "0"),
        ("POSTHASTE_MAILERLITE_REQUESTS_PER_MINUTE", "many"),
        ("POSTHASTE_MAILERLITE_WEBHOOK_SECRET", "a,,b"),
    ] {
        let mut serve = site.command(&["serve"]);
        serve.env(name, value);
        let complaint = run(serve, "").failed(2);
        assert!(complaint.contains(name), "{name}={value}: {complaint}");
        assert_eq!(complaint.trim_end().lines().count(), 1, "{complaint}");
        if name.ends_with("KEY") || name.ends_with("SECRET") {
            assert!(!complaint.contains(value), "{complaint}");
        }
    }
}
