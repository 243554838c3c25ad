//! Decides pushes without a store: what is known goes in, an answer and a change come out.
//!
//! `cargo run -p domain --example decide`
#![expect(clippy::print_stdout, reason = "that is what an example is for")]

use std::error::Error;

use domain::{
    authority::Principal,
    posting::{Lifetime, PutPosting},
    store::{Known, WriteSet},
    usecase::decide_batch,
};
use kernel::{ClientId, PostingId, PutOutcome};
use time::{OffsetDateTime, macros::datetime};
use uuid::Uuid;

const NOW: OffsetDateTime = datetime!(2026-12-01 12:00 UTC);

const CREATE: &str = r#"{
    "title": "Baker",
    "raw_description": "<p>Bread and rolls, from four in the morning.</p>",
    "application_url": "https://bakery.example/jobs/1",
    "company": {"name": "The Bakery", "website_url": "https://bakery.example"}
}"#;

fn push(body: &str) -> Result<PutPosting, kernel::body::BodyError> {
    let (client, new_id) = (
        Principal::unfenced(ClientId::new(Uuid::nil())),
        PostingId::new(Uuid::from_u128(1)),
    );
    PutPosting::parse("bakery-1", body.as_bytes(), client, new_id)
}

/// A day of one posting: what became of each push, and what one commit is to write.
fn day() -> Result<(Vec<PutOutcome>, WriteSet), Box<dyn Error>> {
    let day = [
        push(CREATE)?,
        push(CREATE)?,
        push(r#"{"location_city": "Oslo"}"#)?,
        push(r#"{"expiration": {"reason": "filled"}}"#)?,
    ];
    let batch: Vec<_> = day.iter().collect();
    // Nothing is known yet; each push is decided on what the one before it left.
    let (answers, writes) = decide_batch(Known::default(), &batch, Lifetime::days(60), NOW);
    let outcomes: Result<Vec<_>, _> = answers
        .into_iter()
        .map(|answer| answer.map(|answer| answer.outcome))
        .collect();
    Ok((outcomes?, writes))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (outcomes, writes) = day()?;
    for outcome in outcomes {
        println!("{outcome}");
    }
    for write in writes.postings.values() {
        println!(
            "version {}: {}",
            write.posting.version, write.posting.status
        );
    }
    for event in &writes.tasks.events {
        println!("event {}", event.name);
    }
    Ok(())
}

#[test]
fn pushes_of_one_posting_compose() -> Result<(), Box<dyn Error>> {
    use PutOutcome::{Created, Expired, Unchanged, Updated};
    let (outcomes, writes) = day()?;
    assert_eq!(outcomes, [Created, Unchanged, Updated, Expired]);
    assert_eq!((writes.companies.len(), writes.postings.len()), (1, 1));
    Ok(())
}
