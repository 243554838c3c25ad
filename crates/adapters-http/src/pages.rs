//! Reads pages until one has wanted items.

use std::time::Duration;

use tokio::time::Instant;

/// How long empty pages are skipped, unless the caller waits longer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Reads up to the first page with items or the last page, within a limited time. `read` gets the
/// time left. It returns a page, and whether the page is empty although more pages follow.
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
