//! The readiness of the store.

use crate::store::Health;

kernel::contract_cases!(
    health,
    impl Health,
    async fn is_ready(store: &S) {
        store.ready().await?;
    },
);
