//! The test harness: servers, clients, payloads and stand-ins.

mod answer;
mod api;
mod app;
mod case;
mod payload;
mod program;
mod site;
#[macro_use]
mod store;
pub mod chat;
pub mod collector;
pub mod follower;
pub mod import;
pub mod jwt;
pub mod load;
pub mod mailerlite;
pub mod newsletter;
pub mod proxy;
pub mod raw;
pub mod receiver;
pub mod stand_in;

pub(crate) use self::store::on_store;
pub use self::{
    answer::Answer,
    api::{Api, encode},
    app::{App, Client},
    case::finish,
    payload::{complete, fresh, minimal, website},
    program::{CommandResult, run, wait_for},
    site::{Server, Site},
    store::{Database, Store},
};

use std::time::{Duration, Instant};

/// Polls until there is a value, and panics after a time limit.
pub async fn eventually<T, F>(what: &str, limit: Duration, mut ask: impl FnMut() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    let [least, most] = [50, 500].map(Duration::from_millis);
    let start = Instant::now();
    loop {
        let asked = Instant::now();
        if let Some(found) = ask().await {
            return found;
        }
        assert!(start.elapsed() < limit, "{what}: not within {limit:?}");
        // Commands asked all the time, by many cases at once, would be most of the load.
        let wait = (asked.elapsed() * 4).clamp(least, most);
        tokio::time::sleep(wait).await;
    }
}

/// Waits for a lock, so that only one case at a time puts the whole machine under load. A case
/// holds it for as long as the load lasts, and not while it waits for leases to expire.
pub async fn alone() -> tokio::sync::MutexGuard<'static, ()> {
    static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    ALONE.lock().await
}

/// The contract's 10 seconds for revoked clients and changed keys, on a machine that is too busy to
/// hold them, and less than a cache that is kept for a minute.
pub const WITHIN: Duration = Duration::from_secs(50);

/// The time limit for enrichments and other work in tests. It is as generous as a machine may be
/// busy, because the contract promises none: what waits, waits for a state.
pub const SETTLING: Duration = Duration::from_mins(10);
