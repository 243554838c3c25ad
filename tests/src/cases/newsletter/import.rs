//! Reports from a file.

use std::fs;

use serde_json::{Value, json};

use super::commands::{import, show, waiting};
use crate::harness::{
    Site, Store,
    mailerlite::Account,
    newsletter::{Newsletter, person},
    run,
};

on_every_store! {
    a_file_is_taken_in_as_reports_are,
    bad_lines_are_named_by_number_and_the_others_taken,
    a_file_that_was_taken_in_changes_nothing_more,
    an_export_can_be_imported_elsewhere,
    a_later_line_of_the_same_person_wins,
    what_is_no_such_file_is_refused,
    what_is_imported_is_told_to_the_provider,
}

async fn a_file_is_taken_in_as_reports_are(store: Store) {
    let site = Site::migrated(store);
    let file = site.folder().join("people.csv");
    // With a mark at the beginning and the ends of lines of another system.
    let text = "\u{feff}email,name,country,plan_category,status,expires_at\r\n\
                 ADA@Example.com , Ada ,Malta,individual,active,2027-01-31\r\n\
                \r\n\
                bob@example.com,\"Bob, \"\"B\"\"\",,,,\r\n\
                cy@example.com,,,team,canceled,";
    fs::write(&file, text).unwrap();
    let command = ["subscribers", "import", file.to_str().unwrap()];
    let printed = site.run(&command).succeeded();
    assert!(printed.contains("created"), "{printed}");
    let ada = show(&site, "ada@example.com");
    assert_eq!(ada["name"], "Ada");
    assert_eq!(ada["country"], "Malta");
    assert_eq!(ada["membership_plan_category"], "individual");
    assert_eq!(ada["membership_expire_at"], "2027-01-31");
    assert_eq!(ada["mailerlite_account"], "old");
    let bob = show(&site, "bob@example.com");
    assert_eq!(bob["name"], "Bob, \"B\"");
    assert_eq!(
        (&bob["country"], &bob["status"]),
        (&Value::Null, &json!("active"))
    );
    assert_eq!(bob["member_status"], "non-member");
    assert_eq!(show(&site, "cy@example.com")["member_status"], "canceled");
    // One effect or one event for each.
    let rows = waiting(&site);
    assert_eq!(rows.len(), 3, "{rows:#?}");
    for (person, key) in [(&ada, "IndividualMembershipUpdated:"), (&bob, "")] {
        let key = format!("{key}{}", person["uuid"].as_str().unwrap());
        assert!(rows.iter().any(|row| row["key"] == key), "{rows:#?}");
    }
}

async fn bad_lines_are_named_by_number_and_the_others_taken(store: Store) {
    let site = Site::migrated(store);
    let long = format!("long@example.com,{},,,,", "x".repeat(256));
    let lines = [
        "good@example.com,Ada,,,,",                     // 2
        "nobody,Ada,,,,",                               // 3
        "few@example.com,Ada",                          // 4
        "many@example.com,Ada,,,,,,",                   // 5
        "family@example.com,Ada,,family,active,",       // 6
        "half@example.com,Ada,,team,,",                 // 7
        "date@example.com,Ada,,team,active,31.01.2027", // 8
        "lonely@example.com,Ada,,,,2027-01-31",         // 9
        "two@example.com,\"two lines\n\",,,,",          // 10 and 11
        ",,,,,",                                        // 12
        &long,                                          // 13
        "all,,,family,active,tomorrow",                 // 14
        "last@example.com,Ada,,team,active,",           // 15
    ];
    let ran = import(&site, &lines);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let named: Vec<u64> = ran
        .stderr
        .lines()
        .filter_map(|line| line.split("line ").nth(1)?.split(':').next()?.parse().ok())
        .collect();
    assert_eq!(named, [3, 4, 5, 6, 7, 8, 9, 12, 13, 14], "{ran:#?}");
    let last = ran.stderr.lines().find(|line| line.contains("line 14:"));
    for column in ["email", "plan_category", "expires_at"] {
        assert!(last.unwrap().contains(column), "{ran:#?}");
    }
    for email in ["good@example.com", "two@example.com", "last@example.com"] {
        show(&site, email);
    }
    let export = site.run(&["subscribers", "export"]).succeeded();
    for email in ["half@", "date@", "lonely@", "long@", "few@", "many@"] {
        assert!(!export.contains(email), "{export}");
    }
    assert_eq!(waiting(&site).len(), 3);
}

async fn a_file_that_was_taken_in_changes_nothing_more(store: Store) {
    let site = Site::migrated(store);
    let lines: Vec<String> = (0..1_203)
        .map(|n| format!("person{n}@example.com,Ada {n},Malta,individual,active,2027-01-31"))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let counts = |lines: &[&str]| {
        let printed = import(&site, lines).succeeded();
        let count = |name: &str| {
            let mut lines = printed.lines();
            let line = lines.find(|line| line.starts_with(name));
            let count = line.and_then(|line| line.split_whitespace().last());
            count.unwrap_or_else(|| panic!("{printed}")).to_owned()
        };
        ["created", "updated", "unchanged", "refused"].map(count)
    };
    assert_eq!(counts(&lines), ["1203", "0", "0", "0"]);
    let export = site.run(&["subscribers", "export"]).succeeded();
    let rows = waiting(&site);
    assert_eq!(rows.len(), 1_203);

    assert_eq!(counts(&lines), ["0", "0", "1203", "0"]);
    assert_eq!(site.run(&["subscribers", "export"]).succeeded(), export);
    assert_eq!(waiting(&site), rows, "nothing more is queued");

    let mut some = lines.clone();
    some[7] = "person7@example.com,Ada L.,Malta,individual,active,2027-01-31";
    assert_eq!(counts(&some), ["0", "1", "1202", "0"]);
}

async fn an_export_can_be_imported_elsewhere(store: Store) {
    let [here, there] = [Site::migrated(store), Site::migrated(store)];
    let lines = [
        "a@example.com,\"quoted, \"\"twice\"\"\",Malta,individual,expired,2027-01-31",
        "b@example.com,\"two lines\n\",,team,canceled,",
        "c@example.com,,,,,",
        "d+tag@example.com,ÄÖÜ 🌹,Österreich,team,active,9999-12-31",
    ];
    import(&here, &lines).succeeded();
    let export = here.run(&["subscribers", "export"]).succeeded();
    let take_in = |site: &Site| {
        let command = site.command(&["subscribers", "import", "-"]);
        run(command, &export).succeeded()
    };
    // Here it is known already.
    let rows = waiting(&here);
    let printed = take_in(&here);
    assert!(printed.contains("unchanged"), "{printed}");
    assert_eq!(here.run(&["subscribers", "export"]).succeeded(), export);
    assert_eq!(waiting(&here), rows);

    take_in(&there);
    let without_tokens = |text: &str| {
        let line = |line: &str| line.rsplit_once(',').map(|(line, _)| line.to_owned());
        let lines = text
            .split('\n')
            .map(|text| line(text).unwrap_or(text.to_owned()));
        lines.collect::<Vec<_>>()
    };
    let copy = there.run(&["subscribers", "export"]).succeeded();
    assert_eq!(without_tokens(&copy), without_tokens(&export));
    // A token is given once.
    assert_ne!(copy, export);
}

async fn a_later_line_of_the_same_person_wins(store: Store) {
    let site = Site::migrated(store);
    let lines = [
        "ada@example.com,Eve,Malta,,,",
        "ADA@example.com,Ada,,team,active,",
    ];
    import(&site, &lines).succeeded();
    let ada = show(&site, "ada@example.com");
    assert_eq!(
        (&ada["name"], &ada["country"]),
        (&json!("Ada"), &Value::Null)
    );
    assert_eq!(ada["membership_plan_category"], "team");
    // Half of that again: an empty field clears.
    import(&site, &["ada@example.com,Ada,,,,"]).succeeded();
    let ada = show(&site, "ada@example.com");
    assert_eq!(ada["membership_plan_category"], "non-member");
}

async fn what_is_no_such_file_is_refused(store: Store) {
    let site = Site::migrated(store);
    site.run(&["subscribers", "import", "missing.csv"])
        .failed(1);
    for text in [
        "",
        "\n",
        "ada@example.com,Ada,,,,\n",
        "name,email,country,plan_category,status,expires_at\n",
        "email;name;country;plan_category;status;expires_at\n",
        "email,name\nada@example.com,Ada\n",
    ] {
        let command = site.command(&["subscribers", "import", "-"]);
        let complaint = run(command, text).failed(1);
        assert!(complaint.contains("email,name,country"), "{complaint}");
    }
    let export = site.run(&["subscribers", "export"]).succeeded();
    assert_eq!(export.lines().count(), 1, "{export}");
    // A file without people is one.
    import(&site, &[]).succeeded();
}

async fn what_is_imported_is_told_to_the_provider(store: Store) {
    let newsletter = Newsletter::shared(store);
    let people: Vec<_> = (0..20).map(|_| person()).collect();
    let lines: Vec<_> = people
        .iter()
        .map(|email| format!("{email},Ada,Malta,individual,active,2027-01-31"))
        .collect();
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    for _ in 0..2 {
        import(&newsletter.app.site, &lines).succeeded();
        for email in &people {
            newsletter.settled(email).await;
            assert_eq!(newsletter.methods(Account::Old, email), ["POST"]);
        }
    }
}
