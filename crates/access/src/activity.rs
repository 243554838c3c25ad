//! The activity of clients: counts by day, and the newest refusals.
//!
//! Activity is [gathered](Gathered) in memory and written every few seconds, so that no push waits
//! for the write. A killed process loses the activity since the last write.

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

/// The number of days with activity that are kept for a client.
pub const DAYS_KEPT: usize = 30;

/// The number of newest refusals that are kept for a client.
pub const REFUSALS_KEPT: usize = 50;

/// A client with pushes on this many days has a usual interval.
const USUAL_DAYS: usize = 3;

/// A client is silent after this many times its usual interval, and at least a day.
const SILENT_INTERVALS: i32 = 3;

/// A share of a client's pushes or postings is large if it exceeds both this number and
/// [`LARGE_PERCENT`].
const MANY: u64 = 20;
const LARGE_PERCENT: u64 = 30;

/// The most clients whose activity is kept between two writes. The activity of others is lost.
const MOST_CLIENTS: usize = 10_000;

/// The number of names that a [`Tally`] can count.
const TALLIED: usize = 32;

/// Counts of names, by their place in a list of fields or of codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally([u64; TALLIED]);

impl Tally {
    /// A count of 1 for each name whose bit is set.
    pub fn of_bits(bits: u64) -> Self {
        let mut tally = Self::default();
        let mut rest = bits;
        while rest != 0 {
            tally.add(rest.trailing_zeros() as usize, 1);
            rest &= rest - 1;
        }
        tally
    }

    /// Adds to the count of a name. A name without room is not counted.
    pub fn add(&mut self, place: usize, count: u64) {
        if let Some(known) = self.0.get_mut(place) {
            *known += count;
        }
    }

    /// The names of the list that were counted, with their counts.
    pub fn named<'a>(
        &'a self,
        names: &'a [&'static str],
    ) -> impl Iterator<Item = (&'static str, u64)> + 'a {
        let counts = names.iter().copied().zip(self.0);
        counts.filter(|(_, count)| *count > 0)
    }

    /// The sum of the counts.
    pub fn sum(&self) -> u64 {
        self.0.iter().sum()
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }
}

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
    /// Postings created by it that were approved.
    pub approved: u64,
    /// Postings created by it that were rejected.
    pub rejected: u64,
    /// Postings created by it that were rejected after an approval.
    pub withdrawn: u64,
    /// The hours of the day with pushes, as bits.
    pub hours: u32,
    /// The optional fields that the postings of accepted pushes have.
    pub fields: Tally,
    /// The remarks that enrichment made on postings that it created, by code.
    pub remarks: Tally,
}

impl Counts {
    /// The counts of one push with this outcome.
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

    /// Adds the optional fields that the posting has, as bits.
    #[must_use]
    pub fn with_fields(self, fields: u64) -> Self {
        Self {
            fields: Tally::of_bits(fields),
            ..self
        }
    }

    /// The counts of one refused push.
    pub fn refused() -> Self {
        Self {
            refused: 1,
            ..Self::default()
        }
    }

    /// All pushes, including refused ones.
    pub const fn pushes(&self) -> u64 {
        self.accepted() + self.refused
    }

    /// The pushes that were not refused.
    pub const fn accepted(&self) -> u64 {
        self.created + self.updated + self.unchanged + self.expired + self.reopened
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
        self.fields += other.fields;
        self.remarks += other.remarks;
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
    /// The time of its last push, accepted or refused.
    pub last_push_at: Option<OffsetDateTime>,
    /// The number of approved postings that it created. A worker counts them about once a minute.
    pub visible: u64,
    /// How many of these postings have newer content that is held back. Stores do not keep this
    /// number.
    pub held: u64,
    /// The newest [`DAYS_KEPT`] days with activity, newest first.
    pub days: Vec<Day>,
    /// The newest [`REFUSALS_KEPT`] refusals, newest first.
    pub refusals: Vec<Refusal>,
}

impl Activity {
    /// The time since which a client is silent: its last push, or its creation if it has never
    /// pushed but has `expect_every`. A client is silent after `expect_every`, or else after three
    /// times its usual interval and at least a day.
    pub fn silent_since(&self, client: &Client, now: OffsetDateTime) -> Option<OffsetDateTime> {
        let last = self.last_push_at;
        let last = last.or_else(|| client.expect_every.map(|_| client.created_at))?;
        let usual = || Some((self.usual_interval()? * SILENT_INTERVALS).max(Duration::DAY));
        let longest = client.expect_every.or_else(usual)?;
        (now - last > longest).then_some(last)
    }

    /// The median gap between the hours in which the client pushed; `None` if it pushed on fewer
    /// than three days.
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

    /// The refused pushes of today (UTC), or else of yesterday and today, if their share is large.
    pub fn many_refused(&self, now: OffsetDateTime) -> Option<Part> {
        let share = |counts: &Counts| Part {
            count: counts.refused,
            of: counts.pushes(),
        };
        self.recent(now).iter().map(share).find(Part::is_large)
    }

    /// The postings that were rejected after an approval today (or else yesterday and today), and
    /// the visible postings whose newer content is held back. `None` unless their share is large.
    pub fn many_withdrawn(&self, now: OffsetDateTime) -> Option<Part> {
        let share = |counts: &Counts| Part {
            count: counts.withdrawn + self.held,
            of: self.visible + counts.withdrawn,
        };
        self.recent(now).iter().map(share).find(Part::is_large)
    }

    /// The kept refusals by reason, the most frequent reason first: the number of refused pushes,
    /// and the newest refusal.
    pub fn reasons(&self) -> Vec<(u64, &Refusal)> {
        let mut reasons: Vec<(u64, &Refusal)> = Vec::new();
        for refusal in &self.refusals {
            match (reasons.iter_mut()).find(|(_, known)| known.has_reason_of(refusal)) {
                Some((count, _)) => *count += refusal.count,
                None => reasons.push((refusal.count, refusal)),
            }
        }
        reasons.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        reasons
    }

    /// The counts since yesterday began, and the counts of the seven days before yesterday.
    pub fn compared(&self, now: OffsetDateTime) -> [Counts; 2] {
        let yesterday = now.date() - Duration::DAY;
        let week = yesterday - Duration::WEEK..yesterday;
        let [mut recent, mut before] = [Counts::default(); 2];
        for day in &self.days {
            if day.date >= yesterday {
                recent += day.counts;
            } else if week.contains(&day.date) {
                before += day.counts;
            }
        }
        [recent, before]
    }

    /// The sums of all days.
    pub fn sums(&self) -> Counts {
        self.days.iter().fold(Counts::default(), |mut sums, day| {
            sums += day.counts;
            sums
        })
    }

    /// The counts of today, and those of yesterday and today together.
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
pub struct Part {
    /// The number of pushes or postings with the problem.
    pub count: u64,
    /// The number of all pushes, or of all postings that were visible.
    pub of: u64,
}

impl Part {
    /// Whether the share needs attention: more than 20, and more than 30 percent.
    pub const fn is_large(&self) -> bool {
        self.count > MANY && self.count * 100 > self.of * LARGE_PERCENT
    }
}

/// Activity to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActivityWrites {
    /// Counts to add.
    pub days: Vec<(ClientId, Date, Counts)>,
    /// The times of the last pushes. A time before the stored one changes nothing.
    pub pushes: Vec<(ClientId, OffsetDateTime)>,
    /// Refusals to add, in order; at most [`REFUSALS_KEPT`] per client.
    pub refusals: Vec<(ClientId, Refusal)>,
    /// The last uses of secrets, by client and digest. A use before the stored one changes nothing.
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

    /// The activity of clients, with refusals if wanted. Clients without activity may be absent.
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

/// The driving port for parts of the service that notice activity. A call only notes it in memory.
pub trait ActivityRecorder: Send + Sync {
    /// A push was answered, or refused.
    fn pushed(&self, client: ClientId, counts: Counts, at: OffsetDateTime);

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
    /// Adds counts to the counts of a day. At most [`DAYS_KEPT`] days are kept, even if the clock
    /// jumps.
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

    /// Adds a refusal. Only the newest refusals are kept.
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

    /// Takes all activity, to write it.
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
mod tests;
