//! Whether the store can do its work.

use crate::store::Health;

/// A store that works says so.
pub async fn is_ready<S: Health>(store: &S) {
    store.ready().await.expect("it is ready");
}
