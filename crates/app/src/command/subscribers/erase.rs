//! `posthaste subscribers erase`: a person is forgotten.

use std::time::Duration;

use anyhow::bail;
use domain::{store::Store, subscriber::Email, usecase};

use crate::{clock::Clock, conflicts::decide_again};

/// How long it is tried while others write about the person.
const WITHIN: Duration = Duration::from_secs(10);

/// Erases the person of an address.
pub(super) async fn erase(
    store: &dyn Store,
    email: &Email,
    clock: &Clock,
) -> anyhow::Result<&'static str> {
    if !decide_again(WITHIN, || usecase::erase(store, email, clock())).await? {
        bail!("Newsletter subscriber not found.");
    }
    Ok("Erased. A worker has the e-mail provider's accounts forget the address.")
}
