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
    usecase::find_subscriber,
};
use workers::testing::FaultyStore;

use program::records::Records;

use super::{
    super::intake::{BATCH, drive, import_text, spawn},
    *,
};
use crate::command::run::Run;

const HEADER: &str = "email,name,country,plan_category,status,expires_at\n";

/// The records of a file, each with its first line, and its fields or why it is refused.
fn records(text: impl AsRef<[u8]>) -> Vec<String> {
    // A buffer that is smaller than a line.
    let input = BufReader::with_capacity(7, Cursor::new(text.as_ref().to_vec()));
    let mut records = Records::open(input, &LAYOUT).unwrap();
    let mut all = Vec::new();
    while let Some(record) = records.next_record().unwrap() {
        all.push(match record.fields {
            Ok(fields) => format!("{} {}", record.line, fields.join("|")),
            Err(why) => format!("{}: {why}", record.line),
        });
    }
    all
}

#[test]
fn records_are_found_with_the_lines_they_begin_on() {
    let body = "a@b.example,Ada,,,,\n\n  \n\
                b@b.example,\"Lovelace, \"\"Ada\"\"\",\"Two\nlines\",team,active,2027-01-31\n\
                c@b.example, Cy ,it\"s \"plain\",,,\n\
                \"d@b.example\",\"\",\"\",\"\",\"\",\"\"";
    let expect = [
        "2 a@b.example|Ada||||",
        "5 b@b.example|Lovelace, \"Ada\"|Two\nlines|team|active|2027-01-31",
        "7 c@b.example|Cy|it\"s \"plain\"|||",
        "8 d@b.example|||||",
    ];
    let text = format!("{HEADER}{body}");
    assert_eq!(records(&text), expect);
    assert_eq!(records(format!("\u{FEFF}{text}\n")), expect, "with a mark");
    let crlf = records(text.replace('\n', "\r\n")).join(";");
    assert_eq!(crlf.replace("\r\n", "\n"), expect.join(";"));
    assert_eq!(records(HEADER), [""; 0]);

    // An export is read without its tokens, and columns are found by their names.
    let header = HEADER.replace('\n', ",migration_token\n");
    let exported = format!("{header}a@b.example,Ada,,,,,token\nb@b.example,,,,,\n");
    let expect = ["2 a@b.example|Ada||||", "3: has 6 columns instead of 7"];
    assert_eq!(records(exported), expect);
    let header = "name,status,email,expires_at,country,plan_category";
    let text = format!("{header}\nAda,active,a@b.example,,NO,team\n");
    assert_eq!(records(text), ["2 a@b.example|Ada|NO|team|active|"]);
}

/// A quote that is never closed costs no memory.
#[test]
fn what_is_no_record_is_said_by_its_line() {
    let open = "2: has a quote that is not closed by line 3";
    let (some, much) = ("x".repeat(40 << 10), "x".repeat(1 << 20));
    for (lines, first) in [
        (&b"a@b.example\n"[..], "2: has 1 column instead of 6"),
        (b"a@b.example,,,,,,\n", "2: has 7 columns instead of 6"),
        (b"a@b.example,\xFF,,,,\n", "2: name must be UTF-8"),
        (b"\xFF@b.example,,,,,\n", "2: email must be UTF-8"),
        (format!("a,\"{some}\n{some}\n{some}\n").as_bytes(), open),
        (
            format!("a,{much},,,,\n").as_bytes(),
            "2: is longer than 65536 bytes",
        ),
    ] {
        let text = [HEADER.as_bytes(), lines, b"b@b.example,,,,,\n"].concat();
        let found = records(text);
        assert_eq!(found[0], first);
        let last = found.last().unwrap();
        assert!(last.ends_with(" b@b.example|||||"), "{found:?}");
    }
    let text = format!("{HEADER}a@b.example,\"Ada,,,,\nb@b.example,,,,,\n");
    assert_eq!(records(text), [open]);
}

#[test]
fn the_header_must_be_the_right_one() {
    for (text, expect) in [
        ("", "the file is empty; its first line must be email,name,"),
        ("\n\n", "the file is empty;"),
        ("a@b.example,,,,,\n", "line 1: the header must be email,"),
        ("\nname,country\n", "line 2: the header must be"),
        (
            "email,name,country,plan_category,status,expires_at,city\n",
            "line 1: the header",
        ),
        (
            "email,name,country,plan_category,status,status\n",
            "line 1: the header must be",
        ),
        (
            "email;name;country;plan_category;status;expires_at\n",
            "line 1: the header",
        ),
    ] {
        let error = Records::open(text.as_bytes(), &LAYOUT).err().unwrap();
        let error = error.to_string();
        assert!(error.starts_with(expect), "{text:?}: {error}");
        let says_how = error.ends_with("by semicolons, and must be by commas");
        assert_eq!(says_how, text.contains(';'), "{error}");
    }
    let quoted = "\"email\", name ,country,plan_category,status,expires_at\r\n";
    assert!(Records::open(quoted.as_bytes(), &LAYOUT).is_ok());
}

/// An import that is recorded as one of the file `people.csv`, unless it is dry.
fn importing(store: &dyn Store, operation: Option<u128>) -> Intake<'_> {
    let entry = |n| by_ann(n).entry(audit::SUBSCRIBERS_IMPORT, noon());
    Intake {
        store,
        clock: std::sync::Arc::new(noon),
        run: operation.map(|n| Run::new(entry(n).with("file", "people.csv"))),
    }
}

/// Imports lines; returns the counts and the messages about bad ones.
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
    let expect = "stopped at lines 502 to 1001; to import the file again is safe: ";
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
