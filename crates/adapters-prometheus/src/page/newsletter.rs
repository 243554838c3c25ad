use std::time::Duration;

use kernel::StoreError;
use metrics::gauge;
use newsletter::{
    store::{AccountState, Accounts, SubscriberCount},
    subscriber::{Account, SubscriberStatus},
};
use time::OffsetDateTime;

use super::reading::number;

runtime::metrics! {
    gauge SUBSCRIBERS in Count = "posthaste_subscribers",
        "Subscribers by account, status and under_way (on the way to that account), if the \
         newsletter is on; counted once a minute";
    gauge LIST_AGE in Seconds = "posthaste_provider_list_age_seconds",
        "The time since the whole list of an account was read, by account; missing until then";
    gauge PAUSED_FOR in Seconds = "posthaste_provider_paused_for_seconds",
        "The rest of the pause of an account of the e-mail provider, by account; else 0";
}

/// Counts are kept this long, because counting reads all subscribers.
pub(super) const COUNTS_LIFETIME: Duration = Duration::from_mins(1);

pub(super) async fn accounts(
    accounts: &dyn Accounts,
) -> Result<Vec<(Account, AccountState)>, StoreError> {
    let mut states = Vec::new();
    for &account in Account::ALL {
        states.push((account, accounts.account_state(account).await?));
    }
    Ok(states)
}

pub(super) fn record(
    counts: Option<&[SubscriberCount]>,
    accounts: &[(Account, AccountState)],
    now: OffsetDateTime,
) {
    if let Some(counts) = counts {
        record_counts(counts);
    }
    for (account, state) in accounts {
        let account = account.as_str();
        if let Some(read_at) = state.reconciled_at {
            let age = (now - read_at).as_seconds_f64().max(0.0);
            gauge!(LIST_AGE, "account" => account).set(age);
        }
        let paused = state.paused_until.map(|until| until - now);
        let paused = paused.map_or(0.0, |left| left.as_seconds_f64().max(0.0));
        gauge!(PAUSED_FOR, "account" => account).set(paused);
    }
}

/// Records all possible combinations, so that a combination without subscribers is 0.
fn record_counts(counts: &[SubscriberCount]) {
    for &account in Account::ALL {
        for &status in SubscriberStatus::ALL {
            for is_under_way in [false, true] {
                let mut counted = counts.iter().filter(|one| {
                    (one.account, one.status, one.is_under_way) == (account, status, is_under_way)
                });
                let people = counted.next().map_or(0, |one| one.people);
                // No subscriber moves to the old account.
                if people == 0 && is_under_way && account == Account::Old {
                    continue;
                }
                let gauge = gauge!(
                    SUBSCRIBERS,
                    "account" => account.as_str(),
                    "status" => status.as_str(),
                    "under_way" => if is_under_way { "true" } else { "false" },
                );
                gauge.set(number(people));
            }
        }
    }
}
