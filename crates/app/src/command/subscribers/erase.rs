//! `posthaste subscribers erase`: erases a person.

use std::time::Duration;

use anyhow::bail;
use kernel::audit::Attribution;
use newsletter::{store::Store, usecase};

use super::person::{self, NOT_FOUND};
use crate::{clock::Clock, config::PersonRef, conflicts::decide_again};

/// The time limit of retries after conflicts.
const WITHIN: Duration = Duration::from_secs(10);

/// Erases a person, and returns a sentence about it.
pub async fn erase(
    store: &dyn Store,
    clock: &Clock,
    person: &PersonRef,
    by: &Attribution,
) -> anyhow::Result<&'static str> {
    let Some(email) = person::address(store, person).await? else {
        bail!(NOT_FOUND);
    };
    let attempt = || usecase::erase(store, &email, Some(by), clock());
    if !decide_again(WITHIN, attempt).await? {
        bail!(NOT_FOUND);
    }
    Ok("Erased. A worker has the e-mail provider's accounts forget the address.")
}
