//! `posthaste subscribers reconcile`: reads the accounts' whole lists, and records and prints the
//! differences.
//!
//! It needs no lease: it only reads from the accounts, and both it and the workers keep to what is
//! left of an account's rate limit.

use std::{process::ExitCode, time::Duration};

use anyhow::{Context as _, bail};
use clap::Args;
use kernel::StoreError;
use newsletter::{
    store::{Store, SubscriberReader},
    subscriber::{
        Account,
        provider::{Cursor, Page, Provider, ProviderError},
        reconciliation::{self, ConcurrentWrites},
    },
    usecase,
};
use runtime::{Clock, clock, decide_again};
use tokio::time::sleep;
use workers::{Known, ListComparison};

use crate::{
    cli::{AccountsArgs, StoreArgs},
    newsletter_service, output, progress, provider,
    shutdown::{INTERRUPTED, StopSignals},
    text::plain,
};

/// Attempts to read a page.
const MAX_ATTEMPTS: u32 = 5;
/// The wait before a retry if the provider names none.
const RETRY_WAIT: Duration = Duration::from_secs(10);

/// Without a lease, a worker may sync subscribers to the account while its list is read.
const CONCURRENT_WRITES: ConcurrentWrites = ConcurrentWrites::Possible;

/// Read the accounts' whole lists, record what they show, and have differences repaired
#[derive(Debug, Args)]
pub struct Reconcile {
    /// Only this account: `old` or `new`
    #[arg(long, value_name = "ACCOUNT", value_parser = account)]
    account: Option<Account>,

    /// Say what is different, and change nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    accounts: AccountsArgs,
}

fn account(text: &str) -> Result<Account, String> {
    Account::parse(text.trim()).ok_or_else(|| format!("{text:?} is not one of old, new"))
}

impl Reconcile {
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let stop = StopSignals::listen()?.asked();
        tokio::pin!(stop);
        let provider = provider::connect(&self.accounts.settings(), None)?;
        let mut accounts = provider.accounts();
        accounts.retain(|account| self.account.is_none_or(|wanted| wanted == *account));
        if accounts.is_empty() {
            bail!("there is no API key of the account");
        }
        let database = self.store.open().await?;
        for account in accounts {
            let walk = Walk {
                account,
                provider: &*provider,
                store: &*database.newsletter,
                subscribers: &*database.subscribers,
                clock: clock::system(),
                is_dry: self.dry_run,
            };
            let seen = tokio::select! {
                biased;
                () = &mut stop => return Ok(ExitCode::from(INTERRUPTED)),
                seen = walk.run() => seen?,
            };
            output::print(seen.text(account, self.dry_run))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Counts of the people on an account's list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    people: u64,
    unknown: u64,
    suppressed: u64,
    different: u64,
    odd: u64,
    missing: usize,
}

impl Seen {
    fn text(self, account: Account, is_dry: bool) -> String {
        let Self {
            people,
            unknown,
            suppressed,
            different,
            odd,
            missing,
        } = self;
        let (done, next) = if is_dry {
            ("would be", "would be")
        } else {
            ("were", "will be")
        };
        format!(
            "The {account} account has {people} people: {unknown} that nobody reported, \
             {suppressed} who get no mail, {odd} that are not understood. \
             {different} differ from what is known, which {done} recorded. {missing} were there once \
             and are not on the list: they {next} looked up."
        )
    }
}

/// A walk of one account's list.
struct Walk<'a> {
    account: Account,
    provider: &'a dyn Provider,
    store: &'a dyn Store,
    subscribers: &'a dyn SubscriberReader,
    clock: Clock,
    is_dry: bool,
}

impl Walk<'_> {
    async fn run(&self) -> anyhow::Result<Seen> {
        let bar = progress::of_input(None);
        let (mut seen, mut cursor) = (Seen::default(), None);
        let mut comparison = ListComparison::new((self.clock)());
        loop {
            let page = self.page(cursor.as_ref()).await?;
            self.take_in(&page, &mut seen).await?;
            comparison.note(&page);
            bar.set_message(format!("{} people", seen.people));
            for odd in &page.odd {
                bar.suspend(|| output::complain(plain(odd)));
            }
            match page.next {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        let known = Known {
            account: self.account,
            subscribers: self.subscribers,
            store: self.store,
            clock: &self.clock,
        };
        seen.missing = comparison.missing(&known, self.is_dry).await?;
        bar.finish_and_clear();
        Ok(seen)
    }

    async fn page(&self, cursor: Option<&Cursor>) -> anyhow::Result<Page> {
        for _ in 1..MAX_ATTEMPTS {
            match self.provider.page(self.account, cursor).await {
                Err(ProviderError::Retry { after, .. } | ProviderError::Limited { after, .. }) => {
                    sleep(after.unwrap_or(RETRY_WAIT)).await;
                }
                result => return result.context("the list cannot be read"),
            }
        }
        let last = self.provider.page(self.account, cursor).await;
        last.context("the list cannot be read")
    }

    async fn take_in(&self, page: &Page, seen: &mut Seen) -> Result<(), StoreError> {
        let now = (self.clock)();
        let emails: Vec<_> = page.people.iter().map(|one| one.email.clone()).collect();
        let known = self.store.load(&emails).await?;
        for one in &page.people {
            seen.people += 1;
            seen.suppressed += u64::from(one.found.status.suppression().is_some());
            match known.get(&one.email) {
                Some(subscriber) => {
                    let (account, found) = (self.account, &one.found);
                    let is_different =
                        reconciliation::is_different(subscriber, account, found, now);
                    seen.different += u64::from(is_different);
                }
                None => seen.unknown += 1,
            }
        }
        seen.odd += page.odd.len() as u64;
        if !self.is_dry {
            let (store, people) = (self.store, &page.people);
            let attempt =
                || usecase::reconcile(store, self.account, people, CONCURRENT_WRITES, now);
            decide_again(newsletter_service::DEADLINE, attempt).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kernel::testing::noon;
    use newsletter::{
        subscriber::{SubscriberStatus, provider::ProviderStatus},
        testing::{Failing, MemoryProvider, MemoryStore, email, report},
        usecase::{find_subscriber, put_subscribers},
    };

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_the_list_shows_is_said_and_recorded() {
        let (store, provider) = (MemoryStore::new(), MemoryProvider::new());
        let puts: Vec<_> = ["a@x.example", "b@x.example", "c@x.example"]
            .map(|address| report(address, "{}"))
            .into();
        put_subscribers(&store, &puts, noon()).await.unwrap();
        for (address, status) in [
            ("a@x.example", ProviderStatus::Unsubscribed),
            ("b@x.example", ProviderStatus::Active),
            ("stranger@x.example", ProviderStatus::Junk),
        ] {
            provider.set(Account::Old, &email(address), status);
        }
        // The page is read only at the second attempt.
        let limited = ProviderError::Limited {
            message: "429".to_owned(),
            after: None,
        };
        provider.fail(1, Failing::Before, limited);
        let walk = |is_dry| Walk {
            account: Account::Old,
            provider: &provider,
            store: &store,
            subscribers: &store,
            clock: Arc::new(|| noon() + time::Duration::HOUR),
            is_dry,
        };
        let expect = Seen {
            people: 3,
            unknown: 1,
            suppressed: 2,
            // `b` is synced anyway, so it does not count as different.
            different: 1,
            odd: 0,
            missing: 0,
        };
        let status = async |address| {
            let known = find_subscriber(&store, &email(address)).await;
            known.unwrap().unwrap().status
        };
        assert_eq!(walk(true).run().await.unwrap(), expect);
        assert_eq!(status("a@x.example").await, SubscriberStatus::Active);
        assert_eq!(walk(false).run().await.unwrap(), expect);
        let again = walk(true).run().await.unwrap();
        assert_eq!(again.different, 0);
        assert_eq!(status("a@x.example").await, SubscriberStatus::Unsubscribed);
        assert_eq!(status("b@x.example").await, SubscriberStatus::Active);
        let text = expect.text(Account::Old, true);
        assert!(text.starts_with("The old account has 3 people"), "{text}");
    }

    #[tokio::test(start_paused = true)]
    async fn who_was_there_once_and_is_not_on_the_list_is_looked_up() {
        let (store, provider) = (MemoryStore::new(), MemoryProvider::new());
        let all = ["a@x.example", "b@x.example", "c@x.example"];
        let puts: Vec<_> = all.map(|address| report(address, "{}")).into();
        put_subscribers(&store, &puts, noon()).await.unwrap();
        for address in &all[..2] {
            provider.set(Account::Old, &email(address), ProviderStatus::Active);
        }
        let walk = |is_dry, hours| Walk {
            account: Account::Old,
            provider: &provider,
            store: &store,
            subscribers: &store,
            clock: Arc::new(move || noon() + time::Duration::hours(hours)),
            is_dry,
        };
        // The third has never been in the account.
        assert_eq!(walk(false, 1).run().await.unwrap().missing, 0);
        let found = provider.find(Account::Old, &email(all[0])).await.unwrap();
        let id = found.unwrap().id;
        provider.remove(Account::Old, &id).await.unwrap();
        for is_dry in [true, true, false] {
            let seen = walk(is_dry, 2).run().await.unwrap();
            assert_eq!((seen.people, seen.missing), (1, 1));
        }
        let known = find_subscriber(&store, &email(all[0])).await;
        let subscriber = known.unwrap().unwrap();
        assert!(subscriber.needs_sync());
        assert_eq!(
            subscriber.status,
            SubscriberStatus::Active,
            "a list is no proof"
        );
    }
}
