//! Validates the body of a push: every error in one answer, each under the path of its field.
//!
//! `cargo run -p domain --example validate`
#![expect(clippy::print_stdout, reason = "that is what an example is for")]

use domain::{authority::Principal, posting::PutPosting};
use kernel::{ClientId, PostingId, body::BodyError};
use uuid::Uuid;

const BODY: &str = r#"{
    "title": "Baker",
    "employment_types": ["full-time", "at-night"],
    "salary_min": "480000",
    "company": {"name": "The Bakery", "website_url": "bakery.example"}
}"#;

/// The errors of a body, as `field message`.
fn errors(body: &str) -> Result<Vec<String>, BodyError> {
    // A service draws the id; it is used if the posting is new.
    let (client, new_id) = (
        Principal::unfenced(ClientId::new(Uuid::nil())),
        PostingId::new(Uuid::nil()),
    );
    let put = PutPosting::parse("bakery-1", body.as_bytes(), client, new_id)?;
    let named = put.errors.iter();
    Ok(named
        .flat_map(|(field, messages)| messages.iter().map(move |it| format!("{field} {it}")))
        .collect())
}

fn main() -> Result<(), BodyError> {
    for error in errors(BODY)? {
        println!("{error}");
    }
    Ok(())
}

#[test]
fn every_error_is_in_one_answer() -> Result<(), BodyError> {
    let errors = errors(BODY)?;
    let fields = errors.iter().filter_map(|error| error.split(' ').next());
    let fields: Vec<_> = fields.collect();
    assert_eq!(
        fields,
        ["company.website_url", "employment_types.1", "salary_min"],
        "what a new posting lacks is added by `decide`, which knows whether it is new"
    );
    Ok(())
}
