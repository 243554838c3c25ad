use std::io::{BufReader, Cursor, Read};

use indicatif::ProgressBar;
use kernel::{
    StoreError,
    audit::{AuditLog as _, AuditQuery},
    testing::{by_ann, noon},
};
use newsletter::{
    store::Store,
    subscriber::Subscriber,
    testing::{MemoryStore, email},
    usecase::{Run, find_subscriber},
};
use workers::testing::FaultyStore;

use super::{
    super::intake::{BATCH, drive, import_text, spawn},
    *,
};

const HEADER: &str = "email,name,country,plan_category,status,expires_at\n";

/// An import recorded as of `people.csv`, unless it is a dry run.
fn importing(store: &dyn Store, operation: Option<u128>) -> Intake<'_> {
    let entry = |n| by_ann(n).entry(audit::SUBSCRIBERS_IMPORT, noon());
    Intake {
        store,
        clock: std::sync::Arc::new(noon),
        run: operation.map(|n| Run::new(entry(n).with("file", "people.csv"))),
    }
}

async fn import(store: &dyn Store, lines: &str) -> (anyhow::Result<Tally>, Vec<String>) {
    let mut import = importing(store, Some(1));
    import_text::<PutSubscriber>(&mut import, &format!("{HEADER}{lines}")).await
}

async fn find(store: &dyn Store, address: &str) -> Option<Subscriber> {
    let email = email(address);
    find_subscriber(store, &email).await.unwrap()
}

fn tally(created: u64, updated: u64, unchanged: u64, refused: u64) -> Tally {
    let mut tally = Tally::of::<PutSubscriber>();
    tally.add("created", created);
    tally.add("updated", updated);
    tally.add("unchanged", unchanged);
    tally.add("refused", refused);
    tally
}

#[tokio::test]
async fn a_line_sets_and_clears_every_field() {
    let store = MemoryStore::new();
    let full = " Ada@Example.com ,Ada,Malta,individual,active,2027-01-31\n";
    let (done, said) = import(&store, full).await;
    assert_eq!((done.unwrap(), said), (tally(1, 0, 0, 0), Vec::new()));
    let ada = find(&store, "ada@example.com").await.unwrap();
    assert_eq!(ada.name.as_deref(), Some("Ada"));
    assert_eq!(ada.country.as_deref(), Some("Malta"));
    assert_eq!(ada.membership_plan_category(), "individual");
    assert!(ada.membership.unwrap().expires_at.is_some());

    let (done, _) = import(&store, full).await;
    assert_eq!(done.unwrap(), tally(0, 0, 1, 0));
    assert_eq!(find(&store, "ada@example.com").await, Some(ada));

    let (done, _) = import(&store, "ada@example.com,,,,,\n").await;
    assert_eq!(done.unwrap(), tally(0, 1, 0, 0));
    let ada = find(&store, "ada@example.com").await.unwrap();
    assert_eq!((ada.name, ada.country, ada.membership), (None, None, None));
}

#[tokio::test]
async fn bad_lines_are_said_and_good_ones_taken() {
    let store = MemoryStore::new();
    let lines = "a@example.com,,,,,\n\
                 nonsense,,,,,\n\
                 b@example.com,,,group,on,31.1.2027\n\
                 c@example.com,,,team,,\n\
                 d@example.com,,,,,2027-01-31\n\
                 e@example.com\n\
                 f@example.com,,,,,\n";
    let (done, said) = import(&store, lines).await;
    assert_eq!(done.unwrap(), tally(2, 0, 0, 5));
    let expect = [
        "3: email must be a valid e-mail address",
        "4: plan_category must be one of individual, team, not \"group\"; status must be one of \
         active, expired, canceled, not \"on\"; expires_at must be a date like 2026-12-31, not \
         \"31.1.2027\"",
        "5: status is required",
        "6: expires_at must be empty without plan_category and status",
        "7: has 1 column instead of 6",
    ];
    assert_eq!(said, expect);
    for taken in ["a@example.com", "f@example.com"] {
        assert!(find(&store, taken).await.is_some());
    }
}

#[tokio::test]
async fn a_repeated_address_composes_in_order() {
    let store = MemoryStore::new();
    let lines = "a@example.com,One,,,,\n\
                 a@example.com,Two,,,,\n\
                 A@example.com,Two,,,,\n\
                 a@example.com,Three,,,,\n";
    let (done, _) = import(&store, lines).await;
    assert_eq!(done.unwrap(), tally(1, 2, 1, 0));
    let last = find(&store, "a@example.com").await.unwrap();
    assert_eq!(last.name.as_deref(), Some("Three"));
}

#[tokio::test]
async fn batches_are_committed_one_by_one_and_an_import_can_be_repeated() {
    let store = FaultyStore::new();
    let person = |n| format!("person{n}@example.com,Name {n},,,,\n");
    let lines: String = (0..=2 * BATCH).map(person).collect();
    let all = u64::try_from(2 * BATCH + 1).unwrap();

    let conflict = StoreError::Conflict;
    store.fail_next([conflict]);
    let (done, _) = import(&*store, &lines).await;
    assert_eq!(done.unwrap(), tally(all, 0, 0, 0));
    let why = "three batches, one of them twice, and before them the audit";
    assert_eq!(store.tries(), 5, "{why}");

    let (done, _) = import(&*store, &lines).await;
    assert_eq!(done.unwrap(), tally(0, 0, all, 0));
    assert_eq!(store.tries(), 6, "nothing was written but the audit");

    // The store fails in the middle of another file.
    let others = lines.replace("person", "other");
    let away = StoreError::Unavailable("gone".to_owned());
    let first: String = others.split_inclusive('\n').take(BATCH).collect();
    let (done, _) = import(&*store, &first).await;
    assert_eq!(done.unwrap(), tally(500, 0, 0, 0));
    store.fail_next([away]);
    let error = import(&*store, &others).await.0.unwrap_err();
    let error = format!("{error:#}");
    let expect = "stopped at lines 502 to 1001; the file can be imported again safely: ";
    assert!(
        error.starts_with(expect) && error.ends_with("gone"),
        "{error}"
    );
    let (done, _) = import(&*store, &others).await;
    assert_eq!(done.unwrap(), tally(501, 0, 500, 0));
}

#[tokio::test]
async fn an_input_that_fails_ends_the_import_behind_what_was_read() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("pulled out"))
        }
    }

    let store = MemoryStore::new();
    let begun = Cursor::new(format!("{HEADER}a@example.com,,,,,\n").into_bytes());
    let mut import = importing(&store, Some(1));
    let batches = spawn::<PutSubscriber>(BufReader::new(begun.chain(Failing)));
    let (mut tally, bar) = (tally(0, 0, 0, 0), ProgressBar::hidden());
    let ended = drive(&mut import, batches, &mut tally, &bar, |_, _| {}).await;
    let error = ended.unwrap_err();
    let error = format!("{error:#}");
    let expect = "the input cannot be read beyond line 2: pulled out";
    assert_eq!(error, expect);
}

#[test]
fn the_summary_counts() {
    let text = PutSubscriber::summary(&tally(1, 22, 333, 4444), Duration::from_secs(2));
    let expect = "created            1\nupdated           22\nunchanged        333\n\
                  refused         4444\n4800 people in 2.0 s, 2400 a second";
    assert_eq!(text, expect);
}

#[tokio::test]
async fn a_run_is_in_the_audit_with_its_counts_also_when_it_breaks_off() {
    let store = FaultyStore::new();
    let away = StoreError::Unavailable("gone".to_owned());
    for (n, fault) in [(1, None), (2, Some(away))] {
        let mut import = importing(&*store, Some(n));
        store.fail_next(fault);
        let lines = format!("{HEADER}a{n}@example.com,,,,,\nnonsense,,,,,\n");
        let (ended, _) = import_text::<PutSubscriber>(&mut import, &lines).await;
        assert_eq!(ended.is_ok(), n == 1);
        if let Ok(tally) = ended {
            let counts = tally.counts().iter().copied();
            import.run.unwrap().end(&*store, counts).await.unwrap();
        }
    }
    let query = AuditQuery {
        limit: 10,
        ..AuditQuery::default()
    };
    let entries = store.memory.entries(&query).await.unwrap();
    let [broken, whole] = entries.as_slice() else {
        panic!("{entries:?}");
    };
    assert_eq!(whole.details["created"], 1);
    assert_eq!(whole.details["refused"], 1);
    assert_eq!(broken.details.len(), 1, "it was killed: {broken:?}");
    assert_eq!(broken.details["file"], "people.csv");
}

#[tokio::test]
async fn a_dry_run_says_what_would_become_of_it_and_writes_nothing() {
    let store = FaultyStore::new();
    let (done, _) = import(&*store, "a@example.com,Ada,,,,\n").await;
    assert_eq!(done.unwrap(), tally(1, 0, 0, 0));
    let tries = store.tries();
    let lines = "a@example.com,Ada,,,,\nA@example.com,Bo,,,,\nb@example.com,,,,,\n";
    let text = format!("{HEADER}{lines}");
    let (done, _) = import_text::<PutSubscriber>(&mut importing(&*store, None), &text).await;
    assert_eq!(done.unwrap(), tally(1, 1, 1, 0));
    assert_eq!(store.tries(), tries);
    assert_eq!(find(&*store, "b@example.com").await, None);
}
