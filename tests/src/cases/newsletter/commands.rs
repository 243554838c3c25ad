use serde_json::{Value, json};

use crate::harness::{
    CommandResult, SETTLING, Site, Store, eventually,
    mailerlite::Account,
    newsletter::{Newsletter, event, person},
    run,
};

on_sqlite! {
    an_operator_suppresses_and_reinstates,
    a_launch_that_is_interrupted_goes_on_later,
}

on_postgres! {
    an_import_is_synced_to_the_provider,
}

fn import(site: &Site, lines: &[&str]) -> CommandResult {
    let header = "email,name,country,plan_category,status,expires_at";
    let command = site.command(&["subscribers", "import", "-"]);
    run(command, &format!("{header}\n{}\n", lines.join("\n")))
}

fn show(site: &Site, email: &str) -> Value {
    site.json(&["subscribers", "show", email, "--json"])
}

/// A repeated old delivery does not undo a reinstatement.
async fn an_operator_suppresses_and_reinstates(store: Store) {
    let newsletter = Newsletter::working(store);
    let provider = &newsletter.provider;
    let both = [Account::Old, Account::New];
    let email = person();
    newsletter.report(&email, &json!({"name": "Ada"})).await;
    newsletter.app.settled().await;
    provider.add(Account::New, &json!({"email": email}));
    let decide = |command: &str| {
        let reason = ["--reason", "asked by phone", "--operator", "ann"];
        let command = [&["subscribers", command, &email][..], &reason].concat();
        newsletter.app.run(&command).succeeded()
    };
    let status = async || newsletter.show(&email).await["status"].clone();
    let there = |account| provider.subscriber(account, &email).unwrap()["status"].clone();

    let said = decide("suppress");
    assert!(said.contains("both accounts will be updated"), "{said}");
    newsletter.app.settled().await;
    assert_eq!(both.map(there), ["unsubscribed", "unsubscribed"]);
    let shown = show(&newsletter.app.site, &email);
    assert_eq!(shown["suppression"]["source"], "operator");
    assert_eq!(shown["suppression"]["reason"], "asked by phone");

    for account in both {
        provider.set_status(account, &email, "active");
    }
    decide("reinstate");
    newsletter.app.settled().await;
    let gone = event("subscriber.unsubscribed", &email, "unsubscribed");
    newsletter.deliver(&gone).await;
    newsletter.app.settled().await;
    assert_eq!(status().await, "active");
    assert_eq!(both.map(there), ["active", "active"]);

    let token = newsletter.token_of(&email);
    decide("rotate-token");
    assert_ne!(newsletter.token_of(&email), token);
    assert_eq!(newsletter.confirm(&token).await.status, 404);

    let lines = newsletter.app.site.json(&["audit", "--json"]);
    let lines = lines.as_array().unwrap().iter();
    let theirs: Vec<_> = lines
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

async fn a_launch_that_is_interrupted_goes_on_later(store: Store) {
    // A move takes two requests, so this limit allows one person a minute.
    let slow = Site::new(store)
        .migrated()
        .with("POSTHASTE_MAILERLITE_REQUESTS_PER_MINUTE", "2");
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
        let mut rows = slow.waiting();
        rows.retain(|row| row["kind"] == "migrate");
        rows.len()
    };
    eventually("a move is in progress", SETTLING, || async {
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
    let printed = fast.run(&launch).succeeded();
    assert!(printed.contains("4 moved"), "{printed}");
    assert_eq!(moved(), 5);
    for email in &emails {
        assert_eq!(show(&fast, email)["migration_source"], "launch");
    }
}

async fn an_import_is_synced_to_the_provider(store: Store) {
    let newsletter = Newsletter::working(store);
    let people: Vec<_> = (0..20).map(|_| person()).collect();
    let lines: Vec<_> = people
        .iter()
        .map(|email| format!("{email},Ada,Malta,individual,active,2027-01-31"))
        .collect();
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    for _ in 0..2 {
        import(&newsletter.app.site, &lines).succeeded();
        newsletter.app.settled().await;
        for email in &people {
            assert_eq!(newsletter.methods(Account::Old, email), ["POST"]);
        }
    }
}
