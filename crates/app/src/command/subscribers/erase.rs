//! `posthaste subscribers erase`: a person is forgotten.

use std::time::Duration;

use anyhow::bail;
use domain::audit::Deed;
use newsletter::{store::Store, usecase};

use super::person::{self, NOBODY};
use crate::{clock::Clock, config::PersonRef, conflicts::decide_again};

/// How long it is tried while others write about the person.
const WITHIN: Duration = Duration::from_secs(10);

/// Erases a person, and says what is so now.
pub(super) async fn erase(
    store: &dyn Store,
    clock: &Clock,
    person: &PersonRef,
    deed: &Deed,
) -> anyhow::Result<&'static str> {
    let Some(email) = person::address(store, person).await? else {
        bail!(NOBODY);
    };
    let attempt = || usecase::erase(store, &email, Some(deed), clock());
    if !decide_again(WITHIN, attempt).await? {
        bail!(NOBODY);
    }
    Ok("Erased. A worker has the e-mail provider's accounts forget the address.")
}
