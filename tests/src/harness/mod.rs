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
        // Without pauses, the commands with which cases poll would be most of the load.
        let wait = (asked.elapsed() * 4).clamp(least, most);
        tokio::time::sleep(wait).await;
    }
}

/// Only one case at a time puts the whole machine under load: the holder of this lock.
pub async fn exclusive_load() -> tokio::sync::MutexGuard<'static, ()> {
    static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    ALONE.lock().await
}

/// Long enough for a busy machine. Tests of crates check promised times with their own clock.
pub const SETTLING: Duration = Duration::from_mins(10);
