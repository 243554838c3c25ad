use std::{
    fs::File,
    io::{self, BufRead as _},
    path::Path,
    slice,
};

use domain::{
    browse::PostingSearch,
    posting::{Ground, Lifetime, moderation::Moderation},
    testing::{create, push},
    usecase::{ingest, moderate},
};
use kernel::{
    SourceIdentifier,
    testing::{by_ann, minutes, noon},
};
use newsletter::testing::MemoryStore;
use serde_json::Value;

use super::{
    list::{PAGE, print},
    moderation::sentence,
    purge::{BATCH, Purging, Summary},
    resolve,
    show::show,
};
use crate::args::ListArgs;

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
async fn a_list_goes_through_all_pages_to_its_limit_and_fits_a_terminal() {
    let store = MemoryStore::new();
    let puts: Vec<_> = (0..=PAGE)
        .map(|n| create(&format!("posting-{n}"), "acme"))
        .collect();
    ingest(&store, &puts, NEVER, noon()).await.unwrap();
    for (limit, as_json, lines) in [
        (2, false, 4),
        (0, false, 1),
        (0, true, 1),
        (usize::MAX, false, PAGE + 2),
    ] {
        let said = listed(&store, limit, as_json).await;
        assert_eq!(said.len(), lines, "{limit}");
        assert!(said.iter().all(|row| row.chars().count() <= 80));
        assert_eq!(said.iter().any(|row| row.contains("and more")), limit == 2);
    }
    let mut rows = listed(&store, usize::MAX, false).await;
    assert_eq!(
        rows[0],
        "UPDATED (UTC)     STATUS             ID                    TITLE"
    );
    assert!(
        rows[1].starts_with("2026-03-01 12:00  PendingEnrichment  posting-"),
        "{}",
        rows[1]
    );
    rows.sort_unstable();
    rows.dedup();
    assert_eq!(rows.len(), PAGE + 2);
    let said = listed(&store, 2, true).await.concat();
    let shown: Vec<Value> = serde_json::from_str(&said).unwrap();
    assert_eq!(shown.len(), 2);
    assert_eq!(shown[0]["status"], "PendingEnrichment");
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
async fn the_text_says_what_a_person_asks_and_is_safe_for_a_terminal() {
    let store = MemoryStore::new();
    let body = r#"{"title":"Baker","raw_description":"<p>Bake\u0007.</p>",
        "application_email":"a@b.example","salary_min":10,"salary_max":12,
        "salary_currency_code":"eur","salary_period":"hourly","location_city":"Brest",
        "location_country_code":"fr","metadata":{"n":1.50},"location_types":["on-site","hybrid"],
        "company":{"name":"B","website_url":"https://b.example"}}"#;
    // Older versions accepted titles with control characters.
    let mut put = push("a/1", body);
    put.patch.title = fields::Patch::Set("Baker\u{1b}[2J".to_owned());
    ingest(&store, &[put], NEVER, noon()).await.unwrap();
    let reason = "Not a job.".to_owned();
    let (reject, by, one) = (
        Moderation::Reject {
            reason,
            ground: Ground::Terms,
        },
        by_ann(1),
        id("a/1"),
    );
    let rejected = moderate(&store, &one, &reject, None, &by, NEVER, noon());
    assert_eq!(
        sentence(&rejected.await.unwrap(), &reject),
        "a/1 is rejected."
    );
    let json = show(&store, &id("a/1"), None, true).await.unwrap();
    assert!(json.contains("1.50"), "numbers keep their spelling: {json}");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["version"], 2);
    let text = show(&store, &id("a/1"), Some("https://b.example/appeals"), false)
        .await
        .unwrap();
    for part in [
        "unique_source_identifier a/1\n",
        "status                   rejected\n",
        "status_reason            Not a job.\n",
        "decision outcome         rejected\ndecision by              operator:ann\n",
        "decision code            operator\ndecision sentence        Not a job.\n",
        "decision ground          terms\ndecision by_notice       no\ndecision appeal          https://b.example/appeals\n",
        "company name             B\ncompany website_url      https://b.example\n",
        "location_types           on-site, hybrid\nlocation_city            Brest\n",
        "salary_max               12\nsalary_currency_code     EUR\n",
        "  PendingEnrichment  client:",
        "  rejected           operator:ann\n    Not a job.\n",
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
    // A text in the form of a UUID is looked up as an identifier first.
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

#[tokio::test(start_paused = true)]
async fn a_purge_leaves_what_operators_took_down_and_finds_what_lies_behind_it() {
    let store = MemoryStore::new();
    let reason = "A scam.".to_owned();
    let (expire, by) = (
        Moderation::Expire {
            reason,
            ground: Ground::Terms,
        },
        by_ann(1),
    );
    for n in 0..=BATCH {
        let scam = create(&format!("scam-{n}"), "acme");
        ingest(&store, slice::from_ref(&scam), NEVER, noon())
            .await
            .unwrap();
        let taken = moderate(&store, &scam.identifier, &expire, None, &by, NEVER, noon());
        taken.await.unwrap();
    }
    let at = noon() + minutes(1);
    let own = [create("own", "acme"), push("own", r#"{"expiration":{}}"#)];
    ingest(&store, &own, NEVER, at).await.unwrap();
    for dry_run in [true, false] {
        let summary = purge(&store, None, dry_run).await;
        assert_eq!((summary.purged, summary.taken_down), (1, BATCH as u64 + 1));
        assert!(
            summary
                .sentence()
                .ends_with("201 stay because an operator took them down.")
        );
    }
    assert_eq!(listed(&store, usize::MAX, false).await.len() - 1, BATCH + 1);
}

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
    let is_whole = |line: &Value| {
        let id = line["unique_source_identifier"].as_str();
        id.is_some_and(|id| id.starts_with("old-"))
            && line["history"].as_array().is_some_and(|it| it.len() == 2)
            && line["raw_description"].is_string()
    };
    assert!(lines.iter().all(is_whole), "{}", lines[0]);

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
