//! Private functions for the fuzz target. Built for it alone.

use std::time::Duration;

use newsletter::subscriber::{
    Email,
    provider::{Cursor, Found, Page, ProviderError},
};
use reqwest::StatusCode;

use crate::{answer::Answer, provider::read_page};

/// Everything that is read from an answer.
pub struct Reading {
    /// The subscriber, in a successful answer.
    pub person: Option<Result<Found, ProviderError>>,
    /// Whether the subscriber is absent.
    pub is_nobody: bool,
    /// Whether the subscriber is suppressed.
    pub is_suppression: bool,
    /// The error of an unsuccessful answer.
    pub error: Option<ProviderError>,
    /// The page.
    pub page: Result<Page, ProviderError>,
}

/// Reads an answer about an address, or the page behind a cursor. `None` for an invalid status.
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
        person: is_success.then(|| answer.person(email)),
        is_nobody: answer.is_nobody(),
        is_suppression: answer.is_suppression_of(email),
        error: (!is_success).then(|| answer.error()),
        page: read_page(&answer, Some(cursor), str::to_owned),
    })
}
