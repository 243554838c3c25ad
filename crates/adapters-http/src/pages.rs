//! Pages of what a client wants, of which one may have nothing.

use std::time::Duration;

use tokio::time::Instant;

/// The time that is spent on pages without anything wanted, before the client is given an empty
/// one.
const PATIENCE: Duration = Duration::from_secs(2);

/// Reads pages up to the first that has something, or the last one, and skips empty pages for a
/// limited time. `read` gets the rest of the client's time, and returns whether pages follow.
pub async fn first<Page, E>(
    wait: Duration,
    mut read: impl AsyncFnMut(Duration) -> Result<(Page, bool), E>,
) -> Result<Page, E> {
    let begin = Instant::now();
    loop {
        let (page, is_barren) = read(wait.saturating_sub(begin.elapsed())).await?;
        if !is_barren || begin.elapsed() >= PATIENCE.max(wait) {
            return Ok(page);
        }
    }
}
