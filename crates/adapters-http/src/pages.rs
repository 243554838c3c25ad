//! Pages of wanted items. A page may have none.

use std::time::Duration;

use tokio::time::Instant;

/// The time spent on pages without wanted items before an empty page is returned.
const PATIENCE: Duration = Duration::from_secs(2);

/// Reads up to the first page with items, or the last, within a limited time. `read` gets the
/// remaining time, and returns whether pages follow.
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
