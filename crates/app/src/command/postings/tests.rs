use std::{
    fs::File,
    io::{self, BufRead as _},
    path::Path,
};

use domain::{
    browse::PostingSearch,
    posting::{Lifetime, moderation::Moderation},
    testing::{create, push},
    usecase::ingest,
};
use kernel::{
    SourceIdentifier,
    audit::{AuditLog, AuditQuery},
    testing::{by_ann, minutes, noon},
};
use newsletter::testing::MemoryStore;
use serde_json::Value;

use super::{
    list::{PAGE, Row, WIDTH, print},
    moderation::sentence,
    purge::{BATCH, Purging, Summary},
    resolve,
    show::show,
};
use crate::{cli::ListArgs, operators::moderate, output::Row as _};

const NEVER: Lifetime = Lifetime::NEVER;

fn id(text: &str) -> SourceIdentifier {
    SourceIdentifier::new(text).unwrap()
}

async fn listed(store: &MemoryStore, limit: usize, as_json: bool) -> Vec<String> {
    let mut rows = Vec::new();
    let take = |row| {
        rows.push(row);
        Ok(())
    };
    let (wanted, args) = (PostingSearch::default(), ListArgs::of(limit, as_json));
    print(store, &wanted, &args, take).await.unwrap();
    rows
}

#[tokio::test]
async fn a_list_ends_at_its_limit_and_says_so() {
    let store = MemoryStore::new();
    for n in 0..3 {
        let put = create(&format!("posting-{n}"), "acme");
        let results = ingest(&store, &[put], NEVER, noon() + minutes(n)).await;
        results.unwrap()[0].as_ref().unwrap();
    }
    for (limit, as_json, lines) in [(2, false, 4), (3, false, 4), (0, false, 1), (0, true, 1)] {
        let said = listed(&store, limit, as_json).await;
        assert_eq!(said.len(), lines, "{limit}: {said:?}");
        assert_eq!(said.iter().any(|row| row.contains("and more")), limit == 2);
    }
    for limit in [2, 200] {
        let said = listed(&store, limit, true).await.concat();
        let shown: Vec<Value> = serde_json::from_str(&said).unwrap();
        assert_eq!(shown.len(), limit.min(3));
        assert_eq!(shown[0]["unique_source_identifier"], "posting-2");
        assert_eq!(shown[0]["status"], "PendingEnrichment");
    }
}

#[tokio::test]
async fn the_list_goes_through_all_pages_and_fits_a_terminal() {
    let store = MemoryStore::new();
    for n in 0..=PAGE {
        let put = create(&format!("posting-{n}"), "acme");
        let at = noon() + minutes(i64::try_from(n / 3).unwrap());
        ingest(&store, &[put], NEVER, at).await.unwrap()[0]
            .as_ref()
            .unwrap();
    }
    let rows = listed(&store, usize::MAX, false).await;
    assert_eq!(rows.len(), 1 + PAGE + 1, "with a heading");
    assert_eq!(
        rows[0],
        "UPDATED (UTC)     STATUS             ID                    TITLE"
    );
    assert!(
        rows[PAGE + 1].starts_with("2026-03-01 12:00  PendingEnrichment  posting-"),
        "{}",
        rows[PAGE + 1]
    );
    assert!(rows.iter().all(|row| row.chars().count() <= WIDTH));
    let mut unique = rows.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), rows.len());
}

#[tokio::test]
async fn a_long_identifier_stays_whole_and_leaves_some_of_the_title() {
    let long = "x".repeat(255);
    let row = Row {
        unique_source_identifier: &long,
        title: "A title that is rather long",
        status: "approved",
        updated_at: "2026-03-01T12:00:00Z".to_owned(),
        ..Row::default()
    };
    let row = row.cells().join("  ");
    assert!(
        row.contains(&long) && row.ends_with("A title that is…"),
        "{row}"
    );
}

#[tokio::test]
async fn an_unknown_posting_is_named_as_the_api_names_it() {
    let store = MemoryStore::new();
    for as_json in [false, true] {
        let error = show(&store, &id("a"), None, as_json).await.unwrap_err();
        assert_eq!(error.to_string(), "Job posting not found.");
    }
}

#[tokio::test]
async fn json_is_what_the_api_answers() {
    let store = MemoryStore::new();
    let body = r#"{"title":"Baker","raw_description":"<p>Bake.</p>","application_email":"a@b.example",
        "metadata":{"n":1.50},"company":{"name":"B","website_url":"https://b.example"}}"#;
    ingest(&store, &[push("a", body)], NEVER, noon())
        .await
        .unwrap();
    let text = show(&store, &id("a"), None, true).await.unwrap();
    assert!(text.contains("1.50"), "numbers keep their spelling: {text}");
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["unique_source_identifier"], "a");
    assert_eq!(json["company"]["website_url"], "https://b.example");
    assert_eq!(json["decision"], Value::Null);
    assert_eq!(json["history"][0]["status"], "PendingEnrichment");
    assert_eq!(json["created_at"], "2026-03-01T12:00:00.123456Z");
}

#[tokio::test]
async fn the_text_says_what_a_person_asks_and_is_safe_for_a_terminal() {
    let store = MemoryStore::new();
    let body = r#"{"title":"Baker","raw_description":"<p>Bake\u0007.</p>",
        "application_email":"a@b.example","salary_min":10,"salary_max":12,
        "salary_currency_code":"eur","salary_period":"hourly","location_city":"Brest",
        "location_country_code":"fr","location_types":["on-site","hybrid"],
        "company":{"name":"B","website_url":"https://b.example"}}"#;
    // Older versions took titles with control characters.
    let mut put = push("a/1", body);
    put.patch.title = kernel::field::Patch::Set("Baker\u{1b}[2J".to_owned());
    ingest(&store, &[put], NEVER, noon()).await.unwrap();
    let reason = "Not a job.".to_owned();
    moderate(
        &store,
        &id("a/1"),
        &Moderation::Reject { reason },
        None,
        &by_ann(1),
        NEVER,
    )
    .await
    .unwrap();
    let text = show(&store, &id("a/1"), Some("https://b.example/appeals"), false)
        .await
        .unwrap();
    for part in [
        "id                a/1\n",
        "status            rejected, by an operator\n",
        "reason            Not a job.\n",
        "decision          rejected by operator:ann, ",
        ": operator\nbecause           Not a job.\n",
        "appeal            https://b.example/appeals\n",
        "company           B <https://b.example>\n",
        "place             Brest, FR (on-site, hybrid)\n",
        "salary            10 to 12 EUR hourly\n",
        "  PendingEnrichment  by client:",
        "  rejected  by operator:ann\n    Not a job.\n",
        "── Description as pushed ──\n\n<p>Bake",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(
        !text.chars().any(|c| c.is_control() && c != '\n'),
        "{text:?}"
    );
}

#[tokio::test]
async fn a_posting_is_meant_by_its_identifier_or_its_uuid() {
    let store = MemoryStore::new();
    let put = create("a/1", "acme");
    let uuid = put.new_id.to_string();
    // An identifier in the form of a UUID is found as an identifier first.
    let odd = create("01900000-0000-7000-8000-00000000abcd", "acme");
    ingest(&store, &[put, odd], NEVER, noon()).await.unwrap();
    let resolve = async |text: &str| resolve(&store, &id(text)).await.unwrap().to_string();
    assert_eq!(resolve("a/1").await, "a/1");
    assert_eq!(resolve(&uuid).await, "a/1");
    assert_eq!(resolve(&uuid.to_uppercase()).await, "a/1");
    for same in ["01900000-0000-7000-8000-00000000abcd", "nobody"] {
        assert_eq!(resolve(same).await, same);
    }
}

#[tokio::test]
async fn what_an_operator_does_is_in_the_audit() {
    let store = MemoryStore::new();
    ingest(&store, &[create("a/1", "acme")], NEVER, noon())
        .await
        .unwrap();
    let reason = "spam".to_owned();
    let commands = [
        Moderation::Approve,
        Moderation::Feature(true),
        Moderation::Reject { reason },
    ];
    for (n, command) in (1_usize..).zip(&commands) {
        for _ in 0..2 {
            let applied =
                moderate(&store, &id("a/1"), command, None, &by_ann(n as u128), NEVER).await;
            let said = sentence(&applied.unwrap(), command);
            assert_eq!(
                said,
                ["a/1 is approved.", "a/1 is featured.", "a/1 is rejected."][n - 1]
            );
        }
    }
    let query = AuditQuery {
        limit: 10,
        ..AuditQuery::default()
    };
    let entries = store.entries(&query).await.unwrap();
    let mut actions: Vec<_> = entries.iter().map(|entry| entry.action.as_str()).collect();
    actions.sort_unstable();
    let expect = ["postings.approve", "postings.feature", "postings.reject"];
    assert_eq!(actions, expect, "what changes nothing is not recorded");
    for entry in &entries {
        assert_eq!(entry.subject.as_deref(), Some("a/1"));
        let reason = entry.details.get("reason").and_then(Value::as_str);
        let is_rejected = entry.action.as_str() == "postings.reject";
        assert_eq!(reason, is_rejected.then_some("spam"));
    }
}

/// Purges what expired before an hour after noon.
async fn purge(store: &MemoryStore, archive: Option<&Path>, dry_run: bool) -> Summary {
    let purging = Purging {
        before: noon() + minutes(60),
        dry_run,
        archive: archive.map(Path::to_owned),
        by: by_ann(7),
        now: noon() + minutes(90),
    };
    purging.run(store, store).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_purge_archives_and_deletes_what_expired_long_ago() {
    let store = MemoryStore::new();
    let count = BATCH + 1;
    for (name, at) in [("old", 0), ("recent", 61)] {
        for n in 0..count {
            let name = format!("{name}-{n}");
            for put in [create(&name, "acme"), push(&name, r#"{"expiration":{}}"#)] {
                let done = ingest(&store, &[put], NEVER, noon() + minutes(at)).await;
                done.unwrap()[0].as_ref().unwrap();
            }
        }
    }
    let open = create("open", "acme");
    ingest(&store, &[open], NEVER, noon()).await.unwrap();
    let left = async || listed(&store, usize::MAX, false).await.len() - 1;

    let directory = tempfile::tempdir().unwrap();
    let archive = directory.path().join("old.ndjson.gz");
    let summary = purge(&store, Some(&archive), true).await;
    assert_eq!(
        (summary.purged, left().await),
        (count as u64, 2 * count + 1)
    );
    assert!(!archive.exists());

    let summary = purge(&store, Some(&archive), false).await;
    assert_eq!((summary.purged, summary.left), (count as u64, 0));
    assert_eq!(left().await, count + 1);
    let lines = flate2::read::MultiGzDecoder::new(File::open(&archive).unwrap());
    let lines = io::BufReader::new(lines).lines();
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect();
    assert_eq!(lines.len(), count);
    for line in &lines {
        assert!(
            line["unique_source_identifier"]
                .as_str()
                .unwrap()
                .starts_with("old-")
        );
        assert_eq!(line["history"].as_array().unwrap().len(), 2);
        assert!(line["raw_description"].is_string());
    }
    let entries = store
        .entries(&AuditQuery {
            limit: 9,
            ..AuditQuery::default()
        })
        .await;
    assert_eq!(entries.unwrap()[0].details["postings"], count);

    assert_eq!(purge(&store, None, false).await.purged, 0);
    let again = Purging {
        before: noon() + minutes(70),
        dry_run: false,
        archive: Some(archive),
        by: by_ann(8),
        now: noon() + minutes(90),
    };
    let refused = again.run(&store, &store).await.unwrap_err();
    assert!(refused.to_string().contains("old.ndjson.gz"), "{refused}");
    assert_eq!(left().await, count + 1);
}
