use std::{num::NonZeroU32, vec};

use kernel::StoreError;

use crate::{
    store::{SubscriberFilter, SubscriberQuery, SubscriberReader},
    subscriber::{Account, Email, Subscriber},
};

/// The number of subscribers read at a time.
pub const PAGE: usize = 1_000;

/// The subscribers to move.
pub enum People<'a> {
    /// The subscribers with these addresses.
    Named(vec::IntoIter<Email>),
    /// All subscribers who have not moved yet, in the order of addresses.
    Everybody {
        /// Lists the subscribers.
        subscribers: &'a dyn SubscriberReader,
        /// The last returned address.
        after: Option<Email>,
    },
}

impl<'a> People<'a> {
    /// All subscribers who have not moved yet.
    pub const fn everybody(subscribers: &'a dyn SubscriberReader) -> Self {
        Self::Everybody {
            subscribers,
            after: None,
        }
    }

    /// Returns the next addresses; none at the end.
    pub async fn next(&mut self, limit: usize) -> Result<Vec<Email>, StoreError> {
        match self {
            Self::Named(emails) => Ok(emails.take(limit).collect()),
            Self::Everybody { subscribers, after } => {
                let query = SubscriberQuery {
                    filter: SubscriberFilter::Unmigrated,
                    after: after.clone(),
                    limit,
                };
                let page = subscribers.list(&query).await?;
                let emails: Vec<_> = page.into_iter().map(|person| person.email).collect();
                if let Some(last) = emails.last() {
                    *after = Some(last.clone());
                }
                Ok(emails)
            }
        }
    }
}

/// The number of subscribers who have not moved yet.
pub async fn count_to_move(subscribers: &dyn SubscriberReader) -> Result<u64, StoreError> {
    let counts = subscribers.counts().await?.into_iter();
    let in_old = counts.filter(|count| count.account == Account::Old);
    Ok(in_old.map(|count| count.people).sum())
}

/// Returns a sample of the subscribers who have not moved yet, spread evenly over the list.
pub async fn sample_to_move(
    subscribers: &dyn SubscriberReader,
    count: u64,
    sample: NonZeroU32,
) -> Result<Vec<Email>, StoreError> {
    let sample = u64::from(sample.get()).min(count);
    let mut people = People::everybody(subscribers);
    let mut chosen = Vec::new();
    let mut nth = 0_u64;
    while (chosen.len() as u64) < sample {
        let page = people.next(PAGE).await?;
        if page.is_empty() {
            break;
        }
        for email in page {
            // Takes the first subscriber of each of `sample` equal parts.
            if nth * sample / count.max(1) >= chosen.len() as u64 && (chosen.len() as u64) < sample
            {
                chosen.push(email);
            }
            nth += 1;
        }
    }
    Ok(chosen)
}

/// The outcome that a run would have, as numbers of addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forecast {
    /// Subscribers who would move.
    pub moved: u64,
    /// Suppressed subscribers, who would stay.
    pub suppressed: u64,
    /// Subscribers who have already moved.
    pub unchanged: u64,
    /// Addresses that were never reported.
    pub unknown: u64,
}

impl Forecast {
    /// Counts one address by its record.
    pub fn add(&mut self, known: Option<&Subscriber>) {
        let count = match known.filter(|known| known.reported_at.is_some()) {
            None => &mut self.unknown,
            Some(known) if known.is_under_way() => &mut self.moved,
            Some(known) if known.migrated.is_some() => &mut self.unchanged,
            Some(known) if known.status.is_suppressed() => &mut self.suppressed,
            Some(_) => &mut self.moved,
        };
        *count += 1;
    }

    /// The counts as a sentence.
    pub fn text(self) -> String {
        let Self {
            moved,
            suppressed,
            unchanged,
            unknown,
        } = self;
        format!(
            "Dry run, nothing was moved. {moved} would move, {suppressed} are suppressed and \
             would not, {unchanged} have already moved, {unknown} are unknown."
        )
    }
}

#[cfg(test)]
mod tests {
    use kernel::testing::noon;

    use super::*;
    use crate::{
        store::Store as _,
        subscriber::{MigrationSource, SubscriberStatus},
        testing::{MemoryStore, email, notice, report},
        usecase::{migrate, notice_events, put_subscribers},
    };

    fn address(n: usize) -> String {
        format!("person{n:04}@example.com")
    }

    async fn store(people: usize) -> MemoryStore {
        let store = MemoryStore::new();
        let puts: Vec<_> = (0..people).map(|n| report(&address(n), "{}")).collect();
        put_subscribers(&store, &puts, noon()).await.unwrap();
        store
    }

    #[pollster::test]
    async fn a_sample_is_spread_over_the_list() {
        let store = store(2500).await;
        for (sample, expect) in [(1, 1), (3, 3), (100, 100), (5000, 2500)] {
            let sample = NonZeroU32::new(sample).unwrap();
            let chosen = sample_to_move(&store, 2500, sample).await.unwrap();
            assert_eq!(chosen.len(), expect);
        }
        let sample = NonZeroU32::new(5).unwrap();
        let chosen = sample_to_move(&store, 2500, sample).await.unwrap();
        let expect: Vec<_> = (0..5).map(|n| email(&address(n * 500))).collect();
        assert_eq!(chosen, expect);
    }

    #[pollster::test]
    async fn a_dry_run_counts_the_outcomes() {
        let store = store(4).await;
        let source = MigrationSource::Manual;
        migrate(&store, &[email(&address(0))], source, noon())
            .await
            .unwrap();
        let unsubscribed = SubscriberStatus::Unsubscribed;
        let notices = [notice(&address(1), unsubscribed)];
        notice_events(&store, &notices, noon()).await.unwrap();
        let mut forecast = Forecast::default();
        for name in [
            &address(0),
            &address(1),
            &address(2),
            &address(3),
            "x@example.com",
        ] {
            let email = email(name);
            let known = store.load(std::slice::from_ref(&email)).await.unwrap();
            forecast.add(known.get(&email));
        }
        let text = forecast.text();
        let expect = "3 would move, 1 are suppressed and would not, 0 have already moved, \
                      1 are unknown.";
        assert!(text.ends_with(expect), "{text}");
    }
}
