#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod clients;
mod companies;
mod duplicates;
mod integration;
mod overview;
mod people;
mod postings;
mod refused;
mod reports;
mod sign_in;
mod support;
mod webhooks;
