//! What the cases are written with.

mod answer;
mod api;
mod app;
mod payload;
mod program;
mod site;
#[macro_use]
mod store;
pub mod chat;
pub mod jwt;
pub mod load;
pub mod mailerlite;
pub mod newsletter;
pub mod raw;
pub mod stand_in;

pub(crate) use self::store::on_store;
pub use self::{
    answer::Answer,
    api::{Api, encode},
    app::{App, SCOPES, create_client, outbox_is_empty, token},
    payload::{VIEW_KEYS, complete, fresh, minimal, website},
    program::{Ran, run},
    site::{Server, Site},
    store::{Database, Store},
};

use std::time::{Duration, Instant};

/// Asks again and again until there is something, for at most some time.
pub async fn eventually<T, F>(what: &str, limit: Duration, mut ask: impl FnMut() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    let start = Instant::now();
    loop {
        if let Some(found) = ask().await {
            return found;
        }
        assert!(start.elapsed() < limit, "{what}: not within {limit:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Lets one case at a time put the whole machine under load, or others would measure it.
pub async fn alone() -> tokio::sync::MutexGuard<'static, ()> {
    static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    ALONE.lock().await
}

/// The promise of the contract about revoked clients and changed keys, and a little for us.
pub const WITHIN_TEN_SECONDS: Duration = Duration::from_secs(11);

/// How long a posting may wait for its enrichment before a test gives up; this is not a
/// promise, so it has room for a busy machine.
pub const SETTLING: Duration = Duration::from_mins(1);
