//! The number of items that need attention, by kind.

use kernel::{AttentionItem, AttentionKind, StoreError};
use metrics::gauge;
use stores::Stores;

use super::reading::number;

runtime::metrics! {
    gauge ITEMS in Count = "posthaste_attention",
        "Items that need attention, by kind; `posthaste attention` prints them";
}

pub(super) async fn read(stores: &Stores) -> Result<Vec<AttentionItem>, StoreError> {
    Ok(stores.attention.attention().await?.items)
}

/// Records all kinds, so that a kind without items is 0.
pub(super) fn record(items: &[AttentionItem]) {
    for kind in AttentionKind::ALL {
        let count = items.iter().filter(|item| item.kind == *kind).count();
        gauge!(ITEMS, "kind" => kind.as_str()).set(number(count as u64));
    }
}
