use std::path::Path;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn the_samples_end_as_intended() {
    let home = Home::new(None, false).unwrap();
    let service = home.service().unwrap();
    let running = Running::start(&service, None).await.unwrap();
    let (database, url) = (&running.database, running.public_url.as_str());
    let credentials = integration(database, "demo", Prefixes::ALL).await.unwrap();
    let rows = push_samples(url, credentials, samples::LINES)
        .await
        .unwrap();
    wait_for_enrichment(database).await.unwrap();
    let table = table::render(&rows, &*database.postings).await.unwrap();
    assert!(
        table.lines().all(|line| line.chars().count() <= 80),
        "{table}"
    );
    let check = |id: &str, parts: &[&str]| {
        let from = table.find(&format!("\n{id} ")).expect(&table) + 1;
        let row: Vec<_> = table[from..].lines().take(2).collect();
        let row = row.join("\n");
        for part in parts {
            assert!(row.contains(part), "{part} in {row}\n{table}");
        }
    };
    check(samples::REDACTED, &["201", "approved", "53.8"]);
    check("harbourpine-3", &["201 200", "approved"]);
    check("storwins/2", &["201 200", "expired", "The post"]);
    for refused in [
        "no-way-to-apply",
        "salary-swapped",
        "unknown-currency",
        "prohibited-field",
    ] {
        check(refused, &["422", "refused"]);
    }
    for rejected in ["empty-text", "test-string", "links-only"] {
        check(rejected, &["201", "rejected"]);
    }
    let count = |status: &str| table.lines().filter(|line| line.contains(status)).count();
    assert_eq!((count("approved"), count("Pending")), (22, 0), "{table}");

    // The second time, the demo finds its own data.
    for _ in 0..2 {
        past::record(database).await.unwrap();
    }
    for client in database.clients.list(9).await.unwrap() {
        let days = database.activity.activity(client.id).await.unwrap().days;
        let past: Vec<_> = days.iter().filter(|day| day.counts.updated > 2).collect();
        assert_eq!(past.len(), 13, "{past:?}");
        assert!(past.iter().all(|day| day.counts.updated < 20), "{past:?}");
    }
    running.stop().await;
}

#[test]
fn a_temporary_directory_is_deleted_unless_it_is_to_be_served_again() {
    let home = Home::new(None, false).unwrap();
    let directory = home.directory.clone();
    drop(home);
    assert!(!directory.exists());
    let home = Home::new(None, true).unwrap();
    let directory = home.directory.clone();
    drop(home);
    assert!(directory.exists());
    std::fs::remove_dir(directory).unwrap();
    let home = Home::new(Some(Path::new("some/where")), false).unwrap();
    assert!(home.directory.is_absolute() && !home.directory.exists());
}
