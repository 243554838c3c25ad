//! The activity of clients: counts by day, and the newest refusals.
//!
//! It is [gathered](Gathered) in memory and written every few seconds, so that no push waits for
//! it. A killed process loses the seconds since.

mod refusal;

use std::{
    collections::{BTreeMap, HashMap},
    ops::AddAssign,
};

use async_trait::async_trait;
use kernel::{PutOutcome, StoreError};
use time::{Date, Duration, OffsetDateTime};

pub use self::refusal::{REASONS_KEPT, Reasons, Refusal};
use super::{Client, ClientId};

/// The number of days with activity that are kept of a client.
pub const DAYS_KEPT: usize = 30;

/// The newest refusals that are kept of a client.
pub const REFUSALS_KEPT: usize = 50;

/// So many days with pushes make a client a regular one.
const USUAL_DAYS: usize = 3;

/// A client is silent after so many times its usual interval, and at least a day.
const SILENT_INTERVALS: i32 = 3;

/// A share of a client's pushes or postings is large above so many and so many percent.
const MANY: u64 = 20;
const LARGE_PERCENT: u64 = 30;

/// Between two writes. The activity of further clients is lost.
const MOST_CLIENTS: usize = 10_000;

/// The counts of a client on one day (UTC).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Postings that it created.
    pub created: u64,
    /// Pushes that updated a posting or its company.
    pub updated: u64,
    /// Pushes that changed nothing.
    pub unchanged: u64,
    /// Postings that it expired.
    pub expired: u64,
    /// Postings that it reopened.
    pub reopened: u64,
    /// Pushes that were refused.
    pub refused: u64,
    /// Of the postings that it created, those that were approved.
    pub approved: u64,
    /// Likewise, those that were rejected.
    pub rejected: u64,
    /// Likewise, those that were rejected after they had been approved.
    pub withdrawn: u64,
    /// The hours of the day with pushes, as bits.
    pub hours: u32,
}

impl Counts {
    /// One push with this outcome.
    pub fn one(outcome: PutOutcome) -> Self {
        let mut counts = Self::default();
        *match outcome {
            PutOutcome::Created => &mut counts.created,
            PutOutcome::Updated => &mut counts.updated,
            PutOutcome::Unchanged => &mut counts.unchanged,
            PutOutcome::Expired => &mut counts.expired,
            PutOutcome::Reopened => &mut counts.reopened,
        } = 1;
        counts
    }

    /// One refused push.
    pub fn refused() -> Self {
        Self {
            refused: 1,
            ..Self::default()
        }
    }

    /// The pushes, refused ones too.
    pub const fn pushes(&self) -> u64 {
        let accepted = self.created + self.updated + self.unchanged;
        accepted + self.expired + self.reopened + self.refused
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.created += other.created;
        self.updated += other.updated;
        self.unchanged += other.unchanged;
        self.expired += other.expired;
        self.reopened += other.reopened;
        self.refused += other.refused;
        self.approved += other.approved;
        self.rejected += other.rejected;
        self.withdrawn += other.withdrawn;
        self.hours |= other.hours;
    }
}

/// The activity of one day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    /// The day (UTC).
    pub date: Date,
    /// The counts of that day.
    pub counts: Counts,
}

/// The kept activity of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// When it last pushed, refused or not.
    pub last_push_at: Option<OffsetDateTime>,
    /// The number of approved postings that it created, about a minute old.
    pub visible: u64,
    /// How many of these have pushed content that is held back. No store keeps it.
    pub held: u64,
    /// The newest [`DAYS_KEPT`] days with anything, newest first.
    pub days: Vec<Day>,
    /// The newest [`REFUSALS_KEPT`] refusals, newest first.
    pub refusals: Vec<Refusal>,
}

impl Activity {
    /// Since when a client is silent: it has not pushed for longer than it says or, if it says
    /// nothing, than three times its usual interval and a day.
    pub fn silent_since(&self, client: &Client, now: OffsetDateTime) -> Option<OffsetDateTime> {
        let last = self.last_push_at;
        let last = last.or_else(|| client.expect_every.map(|_| client.created_at))?;
        let usual = || Some((self.usual_interval()? * SILENT_INTERVALS).max(Duration::DAY));
        let longest = client.expect_every.or_else(usual)?;
        (now - last > longest).then_some(last)
    }

    /// The median time between hours with pushes; `None` of a client that pushed on fewer than
    /// three days.
    fn usual_interval(&self) -> Option<Duration> {
        let days = self.days.iter().filter(|day| day.counts.hours != 0);
        if days.clone().count() < USUAL_DAYS {
            return None;
        }
        let mut hours: Vec<_> = days
            .flat_map(|day| {
                let first = i64::from(day.date.to_julian_day()) * 24;
                (0..24).filter_map(move |hour| {
                    (day.counts.hours >> hour & 1 == 1).then_some(first + hour)
                })
            })
            .collect();
        hours.sort_unstable();
        let mut gaps: Vec<_> = hours.windows(2).map(|pair| pair[1] - pair[0]).collect();
        gaps.sort_unstable();
        gaps.get(gaps.len() / 2).map(|gap| Duration::hours(*gap))
    }

    /// The refused pushes, if they are many: of today (UTC), or since the day before began.
    pub fn many_refused(&self, now: OffsetDateTime) -> Option<Share> {
        let share = |counts: &Counts| Share {
            count: counts.refused,
            of: counts.pushes(),
        };
        self.recent(now).iter().map(share).find(Share::is_large)
    }

    /// The visible postings that were rejected in the same time, or whose pushed content is held
    /// back, if they are many.
    pub fn many_withdrawn(&self, now: OffsetDateTime) -> Option<Share> {
        let share = |counts: &Counts| Share {
            count: counts.withdrawn + self.held,
            of: self.visible + counts.withdrawn,
        };
        self.recent(now).iter().map(share).find(Share::is_large)
    }

    /// The kept refusals by reason, the most frequent first: how many pushes were refused for it,
    /// and the newest one.
    pub fn reasons(&self) -> Vec<(u64, &Refusal)> {
        let mut reasons: Vec<(u64, &Refusal)> = Vec::new();
        for refusal in &self.refusals {
            let of = |one: &Refusal| (one.status, one.message.clone(), one.errors.clone());
            match reasons
                .iter_mut()
                .find(|(_, known)| of(known) == of(refusal))
            {
                Some((count, _)) => *count += refusal.count,
                None => reasons.push((refusal.count, refusal)),
            }
        }
        reasons.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        reasons
    }

    /// The counts of today, and those since yesterday began.
    fn recent(&self, now: OffsetDateTime) -> [Counts; 2] {
        [0, 1].map(|ago| {
            let first = now.date() - Duration::days(ago);
            let days = self.days.iter().filter(|day| day.date >= first);
            days.fold(Counts::default(), |mut sum, day| {
                sum += day.counts;
                sum
            })
        })
    }
}

/// A part of a client's pushes or postings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The part.
    pub count: u64,
    /// All of them.
    pub of: u64,
}

impl Share {
    /// Whether somebody should look at it: more than 20, and more than 30 percent.
    pub const fn is_large(&self) -> bool {
        self.count > MANY && self.count * 100 > self.of * LARGE_PERCENT
    }
}

/// Activity to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActivityWrites {
    /// Counts to add.
    pub days: Vec<(ClientId, Date, Counts)>,
    /// The times of the last pushes; earlier ones than stored change nothing.
    pub pushes: Vec<(ClientId, OffsetDateTime)>,
    /// Refusals to add, in order; at most [`REFUSALS_KEPT`] per client.
    pub refusals: Vec<(ClientId, Refusal)>,
    /// The last uses of secrets, by client and digest; earlier ones than stored change nothing.
    pub secrets: Vec<(ClientId, [u8; 32], OffsetDateTime)>,
}

impl ActivityWrites {
    /// Whether there is nothing to write.
    pub const fn is_empty(&self) -> bool {
        self.days.is_empty()
            && self.pushes.is_empty()
            && self.refusals.is_empty()
            && self.secrets.is_empty()
    }
}

/// The port to the stored activity.
#[async_trait]
pub trait ActivityLog: Send + Sync {
    /// Writes activity in one commit. Skips unknown clients, and refusals of erased postings. Keeps
    /// [`DAYS_KEPT`] days and [`REFUSALS_KEPT`] refusals of each client.
    async fn record(&self, writes: &ActivityWrites) -> Result<(), StoreError>;

    /// The activity of clients, with refusals if wanted. Clients without any may be absent.
    async fn activities(
        &self,
        clients: &[ClientId],
        with_refusals: bool,
    ) -> Result<HashMap<ClientId, Activity>, StoreError>;

    /// The activity of a client; empty if unknown.
    async fn activity(&self, client: ClientId) -> Result<Activity, StoreError> {
        let mut found = self.activities(&[client], true).await?;
        Ok(found.remove(&client).unwrap_or_default())
    }
}

/// The driving port for the parts that notice activity. A call only remembers it.
pub trait ActivityRecorder: Send + Sync {
    /// A push was answered.
    fn pushed(&self, client: ClientId, outcome: PutOutcome, at: OffsetDateTime);

    /// A push was refused.
    fn refused(&self, client: ClientId, at: OffsetDateTime);

    /// The reason of one or more refused pushes is known.
    fn explained(&self, client: ClientId, refusal: Refusal);

    /// A token was issued for the secret with this digest.
    fn used(&self, client: ClientId, digest: [u8; 32], at: OffsetDateTime);
}

/// Activity that was not written yet, of bounded size.
#[derive(Debug, Default)]
pub struct Gathered {
    clients: HashMap<ClientId, OfClient>,
}

#[derive(Debug, Default)]
struct OfClient {
    days: BTreeMap<Date, Counts>,
    pushed_at: Option<OffsetDateTime>,
    refusals: Vec<Refusal>,
    secrets: Vec<([u8; 32], OffsetDateTime)>,
}

impl Gathered {
    /// Adds counts to those of a day. A clock that jumps about cannot make the days grow.
    pub fn count(&mut self, client: ClientId, mut counts: Counts, at: OffsetDateTime) {
        if let Some(entry) = self.of(client) {
            if counts.pushes() > 0 {
                counts.hours |= 1 << at.hour();
            }
            *entry.days.entry(at.date()).or_default() += counts;
            if entry.days.len() > DAYS_KEPT {
                entry.days.pop_first();
            }
            if counts.pushes() > 0 {
                entry.pushed_at = entry.pushed_at.max(Some(at));
            }
        }
    }

    /// The newest reasons are kept.
    pub fn explain(&mut self, client: ClientId, refusal: Refusal) {
        if let Some(entry) = self.of(client) {
            if entry.refusals.len() == REFUSALS_KEPT {
                entry.refusals.remove(0);
            }
            entry.refusals.push(refusal);
        }
    }

    /// Adds the use of a secret.
    pub fn use_secret(&mut self, client: ClientId, digest: [u8; 32], at: OffsetDateTime) {
        if let Some(entry) = self.of(client) {
            entry.secrets.retain(|(known, _)| *known != digest);
            entry.secrets.push((digest, at));
            let old = entry.secrets.len().saturating_sub(super::MOST_SECRETS);
            entry.secrets.drain(..old);
        }
    }

    /// Takes everything, to write it.
    pub fn take(&mut self) -> ActivityWrites {
        let mut writes = ActivityWrites::default();
        for (client, entry) in std::mem::take(&mut self.clients) {
            let days = entry.days.into_iter().map(|(date, it)| (client, date, it));
            writes.days.extend(days);
            writes.pushes.extend(entry.pushed_at.map(|at| (client, at)));
            let refusals = entry.refusals.into_iter().map(|it| (client, it));
            writes.refusals.extend(refusals);
            let secrets = entry.secrets.into_iter();
            let secrets = secrets.map(|(digest, at)| (client, digest, at));
            writes.secrets.extend(secrets);
        }
        writes
    }

    /// Puts back activity that could not be written.
    pub fn put_back(&mut self, writes: ActivityWrites) {
        for (client, date, counts) in writes.days {
            if let Some(entry) = self.of(client) {
                *entry.days.entry(date).or_default() += counts;
            }
        }
        for (client, at) in writes.pushes {
            if let Some(entry) = self.of(client) {
                entry.pushed_at = entry.pushed_at.max(Some(at));
            }
        }
        for (client, refusal) in writes.refusals.into_iter().rev() {
            if let Some(entry) = self.of(client)
                && entry.refusals.len() < REFUSALS_KEPT
            {
                entry.refusals.insert(0, refusal);
            }
        }
        for (client, digest, at) in writes.secrets {
            if let Some(entry) = self.of(client)
                && entry.secrets.len() < super::MOST_SECRETS
                && entry.secrets.iter().all(|(known, _)| *known != digest)
            {
                entry.secrets.insert(0, (digest, at));
            }
        }
    }

    fn of(&mut self, client: ClientId) -> Option<&mut OfClient> {
        let is_full = self.clients.len() >= MOST_CLIENTS;
        if is_full && !self.clients.contains_key(&client) {
            return None;
        }
        Some(self.clients.entry(client).or_default())
    }
}

#[cfg(test)]
mod tests {
    use kernel::testing::{hours, noon, uuid};

    use super::*;

    fn client(n: u128) -> ClientId {
        ClientId::new(uuid(n))
    }

    fn refusal(n: u128) -> Refusal {
        Refusal::new(uuid(n), noon(), "job-1", 422, "No.", None)
    }

    #[test]
    fn counts_are_added_up_by_client_and_day() {
        let mut gathered = Gathered::default();
        let approved = Counts {
            approved: 1,
            ..Counts::default()
        };
        let [created, unchanged] = [PutOutcome::Created, PutOutcome::Unchanged].map(Counts::one);
        for (n, counts, hour) in [
            (1, created, 0),
            (1, unchanged, 1),
            (1, unchanged, 12),
            (1, approved, 0),
            (2, approved, 0),
            (1, Counts::refused(), 0),
        ] {
            gathered.count(client(n), counts, noon() + hours(hour));
        }
        gathered.explain(client(1), refusal(1));
        let mut writes = gathered.take();
        writes
            .days
            .sort_by_key(|(client, date, _)| (*client, *date));
        let today = Counts {
            created: 1,
            unchanged: 1,
            refused: 1,
            hours: 1 << 12 | 1 << 13,
            ..approved
        };
        let unchanged = Counts {
            hours: 1,
            ..unchanged
        };
        let (date, tomorrow) = (noon().date(), (noon() + hours(12)).date());
        let expect = [
            (client(1), date, today),
            (client(1), tomorrow, unchanged),
            (client(2), date, approved),
        ];
        assert_eq!(writes.days, expect);
        assert_eq!(writes.pushes, [(client(1), noon() + hours(12))]);
        assert_eq!(writes.refusals, [(client(1), refusal(1))]);
        assert!(gathered.take().is_empty());
    }

    #[test]
    fn the_newest_refusals_are_kept_and_all_are_counted() {
        let mut gathered = Gathered::default();
        for n in 0..60 {
            gathered.count(client(1), Counts::refused(), noon());
            gathered.explain(client(1), refusal(n));
        }
        let writes = gathered.take();
        assert_eq!(writes.days[0].2.refused, 60);
        let ids: Vec<_> = writes.refusals.iter().map(|(_, kept)| kept.id).collect();
        assert_eq!(ids, (10..60).map(uuid).collect::<Vec<_>>());

        gathered.count(client(1), Counts::refused(), noon());
        gathered.explain(client(1), refusal(60));
        gathered.put_back(writes);
        let writes = gathered.take();
        assert_eq!(writes.days[0].2.refused, 61);
        let ids: Vec<_> = writes.refusals.iter().map(|(_, kept)| kept.id).collect();
        assert_eq!(ids, (11..=60).map(uuid).collect::<Vec<_>>());
    }

    #[test]
    fn only_so_many_clients_are_remembered() {
        let (mut gathered, created) = (Gathered::default(), Counts::one(PutOutcome::Created));
        for n in 0..MOST_CLIENTS as u128 + 5 {
            gathered.count(client(n), created, noon());
        }
        gathered.count(client(1), created, noon());
        let writes = gathered.take();
        assert_eq!(writes.days.len(), MOST_CLIENTS);
        let of_one = writes.days.iter().find(|(id, ..)| *id == client(1));
        assert_eq!(of_one.unwrap().2.created, 2);
    }

    #[test]
    fn the_last_use_of_the_newest_secrets_is_kept() {
        let mut gathered = Gathered::default();
        for (secret, hour) in [(1, 0), (2, 1), (3, 2), (2, 3)] {
            gathered.use_secret(client(1), [secret; 32], noon() + hours(hour));
        }
        let writes = gathered.take();
        let expect = [
            (client(1), [3; 32], noon() + hours(2)),
            (client(1), [2; 32], noon() + hours(3)),
        ];
        assert_eq!(writes.secrets, expect);
        gathered.use_secret(client(1), [2; 32], noon() + hours(4));
        gathered.put_back(writes);
        let expect = [
            (client(1), [3; 32], noon() + hours(2)),
            (client(1), [2; 32], noon() + hours(4)),
        ];
        assert_eq!(gathered.take().secrets, expect);
    }

    /// Activity with a push in each of these hours since noon.
    fn pushed_at(hours_since: &[i64]) -> Activity {
        let mut gathered = Gathered::default();
        for hour in hours_since {
            gathered.count(client(1), Counts::refused(), noon() + hours(*hour));
        }
        let writes = gathered.take();
        let day = |(_, date, counts)| Day { date, counts };
        Activity {
            last_push_at: writes.pushes.first().map(|(_, at)| *at),
            days: writes.days.into_iter().map(day).collect(),
            ..Activity::default()
        }
    }

    #[test]
    fn silence_is_longer_than_a_client_says_or_three_times_its_usual_interval() {
        let daily = [0, 24, 48, 72];
        let hourly = [0, 1, 2, 24, 25, 48];
        let minute = Duration::MINUTE;
        for (pushes, expect_every, longest) in [
            (&daily[..], None, Some(hours(72))),
            (&hourly, None, Some(hours(24))),
            (&hourly, Some(hours(3)), Some(hours(3))),
            (&daily, Some(hours(200)), Some(hours(200))),
            (&daily[..2], None, None),
            (&daily[..1], Some(hours(1)), Some(hours(1))),
        ] {
            let (activity, mut client) = (pushed_at(pushes), crate::testing::client(1));
            client.expect_every = expect_every;
            let last = activity.last_push_at.unwrap();
            let silent = |after| activity.silent_since(&client, last + after);
            let longest_or = longest.unwrap_or(hours(9_999));
            assert_eq!(silent(longest_or), None, "{pushes:?}");
            assert_eq!(
                silent(longest_or + minute),
                longest.map(|_| last),
                "{pushes:?}"
            );
        }
        // One that has never pushed is expected from its creation on.
        let mut client = crate::testing::client(1);
        let nothing = Activity::default();
        assert_eq!(nothing.silent_since(&client, noon() + hours(99)), None);
        client.expect_every = Some(hours(1));
        let since = nothing.silent_since(&client, client.created_at + hours(2));
        assert_eq!(since, Some(client.created_at));
    }

    #[test]
    fn more_than_twenty_and_thirty_percent_of_a_day_or_two_is_a_large_share() {
        let day = |ago: i64, refused, unchanged, withdrawn| Day {
            date: (noon() - hours(24 * ago)).date(),
            counts: Counts {
                unchanged,
                refused,
                withdrawn,
                ..Counts::default()
            },
        };
        let share = |count, of| Some(Share { count, of });
        for (days, refused, withdrawn) in [
            (vec![day(0, 20, 0, 20)], None, None),
            (vec![day(0, 21, 49, 21)], None, None),
            (vec![day(0, 21, 48, 22)], share(21, 69), share(22, 71)),
            (
                vec![day(0, 1, 9, 1), day(1, 40, 0, 40)],
                share(41, 50),
                share(41, 90),
            ),
            (
                vec![day(0, 80, 20, 0), day(1, 0, 900, 0)],
                share(80, 100),
                None,
            ),
            (vec![day(2, 80, 20, 80)], None, None),
        ] {
            let activity = Activity {
                days,
                visible: 49,
                ..Activity::default()
            };
            assert_eq!(activity.many_refused(noon()), refused);
            let found = activity.many_withdrawn(noon());
            assert_eq!(found, withdrawn, "{activity:?}");
        }
        let held = Activity {
            visible: 100,
            held: 31,
            ..Activity::default()
        };
        assert_eq!(held.many_withdrawn(noon()), share(31, 100));
    }
}
