use kernel::testing::Checked;
use uuid::Uuid;

use crate::{
    store::{AccountState, Accounts},
    subscriber::Account::{self, New, Old},
    testing::{AllPorts, hours, minutes, noon, uuid},
};

/// Leases for an hour, from this number of minutes after noon.
async fn lease<S: Accounts>(
    store: &S,
    accounts: &[Account],
    holder: Uuid,
    after: i64,
) -> Checked<bool> {
    let now = noon() + minutes(after);
    Ok(store.lease(accounts, holder, now + hours(1), now).await?)
}

async fn release<S: Accounts>(store: &S, holder: Uuid) -> Checked {
    store.release(holder).await?;
    Ok(())
}

kernel::contract_cases!(
    accounts,
    impl AllPorts,
    async fn a_leased_account_has_one_holder(store: &S) {
        assert!(lease(store, &[Old], uuid(1), 0).await?);
        assert!(!lease(store, &[Old], uuid(2), 0).await?);
        assert!(lease(store, &[New], uuid(2), 0).await?, "it is another one");
        assert!(!lease(store, &[New], uuid(1), 0).await?);
        assert!(lease(store, &[], uuid(3), 0).await?, "nothing is free");
    },
    async fn a_holder_renews_its_lease(store: &S) {
        for after in [0, 30, 60] {
            assert!(lease(store, &[Old], uuid(1), after).await?, "{after}");
        }
        assert!(!lease(store, &[Old], uuid(2), 119).await?);
    },
    async fn a_lease_ends(store: &S) {
        assert!(lease(store, &[Old], uuid(1), 0).await?);
        assert!(!lease(store, &[Old], uuid(2), 59).await?);
        assert!(lease(store, &[Old], uuid(2), 60).await?);
        assert!(!lease(store, &[Old], uuid(1), 60).await?, "it was lost");
    },
    async fn accounts_are_leased_together_or_not_at_all(store: &S) {
        assert!(lease(store, &[New], uuid(1), 0).await?);
        assert!(!lease(store, &[Old, New], uuid(2), 0).await?);
        assert!(lease(store, &[Old], uuid(3), 0).await?, "it was not taken");
        release(store, uuid(3)).await?;
        assert!(lease(store, &[New, Old], uuid(1), 30).await?);
        assert!(!lease(store, &[New], uuid(2), 89).await?, "it was renewed");
        assert!(lease(store, &[Old, New], uuid(2), 90).await?);
    },
    async fn a_released_account_is_free(store: &S) {
        assert!(lease(store, &[Old, New], uuid(1), 0).await?);
        release(store, uuid(2)).await?;
        assert!(!lease(store, &[Old], uuid(2), 0).await?);
        release(store, uuid(1)).await?;
        assert!(lease(store, &[Old, New], uuid(2), 0).await?);
        release(store, uuid(1)).await?;
        assert!(!lease(store, &[Old], uuid(1), 0).await?);
    },
    async fn the_state_of_an_account_outlasts_its_lease(store: &S) {
        let state = async |account| store.account_state(account).await;
        assert_eq!(state(Old).await?, AccountState::default());
        assert!(lease(store, &[Old, New], uuid(1), 0).await?);
        let paused = AccountState {
            paused_until: Some(noon() + minutes(5)),
            pause_reason: Some("old account: 429".to_owned()),
            reconciled_at: None,
        };
        store.keep_account_state(Old, &paused).await?;
        release(store, uuid(1)).await?;
        assert!(lease(store, &[Old, New], uuid(2), 0).await?);
        assert_eq!(state(Old).await?, paused);
        assert_eq!(state(New).await?, AccountState::default());

        let reconciled = AccountState {
            reconciled_at: Some(noon()),
            ..AccountState::default()
        };
        store.keep_account_state(Old, &reconciled).await?;
        assert_eq!(state(Old).await?, reconciled);
    },
);
