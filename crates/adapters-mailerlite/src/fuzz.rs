//! What the fuzz target reaches of what is private otherwise. Built for it alone.

use std::time::Duration;

use newsletter::subscriber::{
    Email,
    provider::{Cursor, Found, Page, ProviderError},
};
use reqwest::StatusCode;

use crate::{answer::Answer, provider::read_page};

/// What is made of an answer.
pub struct Reading {
    /// The person in it; only of an answer of success.
    pub person: Option<Result<Found, ProviderError>>,
    /// Whether there is nobody.
    pub is_nobody: bool,
    /// Whether nothing is taken in because the person is suppressed.
    pub is_suppression: bool,
    /// The failure that it is, unless it is none.
    pub error: Option<ProviderError>,
    /// The page in it.
    pub page: Result<Page, ProviderError>,
}

/// Reads an answer about an address, or to a request for the page behind a cursor. `None` for
/// what is no status.
pub fn read(
    status: u16,
    after: Option<Duration>,
    body: &[u8],
    email: &Email,
    cursor: &Cursor,
) -> Option<Reading> {
    let status = StatusCode::from_u16(status).ok()?;
    let answer = Answer::of(status, after, body.to_owned());
    let is_success = answer.is_success();
    Some(Reading {
        person: is_success.then(|| answer.person(email, Some("7"))),
        is_nobody: answer.is_nobody(),
        is_suppression: answer.is_suppression_of(email),
        error: (!is_success).then(|| answer.error()),
        page: read_page(&answer, Some(cursor), str::to_owned),
    })
}
