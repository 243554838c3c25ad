//! Decides which attempts may arrive late, and which events may be repeated.
//!
//! An event that a round has recorded as delivered is repeated only by an attempt that began under
//! a lost lease. Before that, it may be repeated once for each lost answer, and once for each
//! disturbed lease: its process died, was cut off or delayed, or a clock was put forward past its
//! end. A lease that is granted while another one is held breaks a rule.
//!
//! A replay repeats the events that were recorded after its place. A round that a replay interrupts
//! is not recorded.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use kernel::event::Cursor;
use time::OffsetDateTime;
use tokio::time::Instant;
use uuid::Uuid;
use webhooks::{EndpointId, Lease as Held, LeaseQuery, Round, TrackedEndpoint};

#[derive(Debug, Default)]
pub struct Deliveries {
    by_host: BTreeMap<String, Host>,
    hosts: BTreeMap<EndpointId, String>,
    /// The holders of leases that have not been given back, and the ends of their leases.
    held: BTreeMap<EndpointId, (Uuid, OffsetDateTime)>,
}

#[derive(Debug, Default)]
struct Host {
    leases: Vec<Lease>,
    recorded: BTreeSet<String>,
    /// The recorded events that a replay has to repeat.
    owed: BTreeSet<String>,
    replays: usize,
    taken: Vec<Taken>,
}

/// The largest error of a process's measurement of the store's clock.
const CLOCK_ERROR: Duration = Duration::from_secs(10);

/// The longest duration of a round, with its last attempts.
const ROUND: Duration = Duration::from_mins(2);

#[derive(Debug)]
struct Lease {
    process: String,
    holder: Uuid,
    began: Instant,
    has_ended: bool,
    /// How many rounds for the host the process has under way, this one included. An earlier round
    /// may not know yet that it lost its lease.
    rounds: usize,
    /// Whether rounds under this lease may go unrecorded.
    is_excused: bool,
    /// The number of replays before this lease.
    replays: usize,
    /// How often each event was delivered under this lease; `lost` counts lost answers.
    taken: BTreeMap<String, usize>,
    lost: BTreeMap<String, usize>,
}
#[derive(Clone, Debug)]
pub struct Taken {
    pub id: String,
    /// Whether the attempt was made under a lost lease, or under a lease from before a replay.
    pub is_late: bool,
    /// The number of replays before the attempt.
    pub replays: usize,
}

#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    lease: Option<usize>,
    had_lease: bool,
}

impl Lease {
    fn is_open(&self) -> bool {
        !self.has_ended && self.began.elapsed() < ROUND
    }
}

impl Host {
    fn end(&mut self, holder: Uuid) {
        let mut leases = self.leases.iter_mut().rev();
        if let Some(lease) = leases.find(|lease| lease.holder == holder) {
            lease.has_ended = true;
        }
    }
}

impl Deliveries {
    /// Returns a broken rule, if any. `now` is the time by the store's clock. If a clock was put
    /// forward during the request, `now` is past the end of the lease.
    pub fn leased(
        &mut self,
        process: &str,
        query: &LeaseQuery,
        leased: &[TrackedEndpoint],
        now: OffsetDateTime,
    ) -> Option<String> {
        let (holder, has_lapsed) = (query.holder, query.until <= now);
        let mut wrong = None;
        for TrackedEndpoint { endpoint, .. } in leased {
            let host = endpoint.url.name().unwrap_or_default().to_owned();
            self.hosts.insert(endpoint.id, host.clone());
            let before = self.held.insert(endpoint.id, (holder, query.until));
            if before.is_some_and(|(_, until)| until > now + CLOCK_ERROR) {
                wrong = Some(format!("{process} leases {host}, which another holds"));
            }
            let of_host = self.by_host.entry(host).or_default();
            let (replays, of_host) = (of_host.replays, &mut of_host.leases);
            let own: Vec<_> = of_host
                .iter()
                .filter(|it| it.process == process && it.is_open())
                .collect();
            // A running earlier round's attempts are counted for this lease, so its excuse holds
            // too.
            let is_excused = has_lapsed || own.iter().any(|it| it.is_excused);
            let rounds = 1 + own.len();
            of_host.push(Lease {
                process: process.to_owned(),
                holder,
                began: Instant::now(),
                has_ended: false,
                rounds,
                is_excused,
                replays,
                taken: BTreeMap::new(),
                lost: BTreeMap::new(),
            });
        }
        wrong
    }

    pub fn renewed(&mut self, leases: impl IntoIterator<Item = Held>, until: OffsetDateTime) {
        for lease in leases {
            self.held.insert(lease.endpoint, (lease.holder, until));
        }
    }

    pub fn released(&mut self, leases: impl IntoIterator<Item = Held>) {
        for lease in leases {
            if (self.held.get(&lease.endpoint)).is_some_and(|(holder, _)| *holder == lease.holder) {
                self.held.remove(&lease.endpoint);
            }
            if let Some(host) = self.host(lease.endpoint) {
                host.end(lease.holder);
            }
        }
    }

    fn host(&mut self, endpoint: EndpointId) -> Option<&mut Host> {
        self.by_host.get_mut(self.hosts.get(&endpoint)?)
    }

    pub fn begin(&self, process: &str, host: &str) -> Attempt {
        let leases = self.by_host.get(host).map(|host| &host.leases[..]);
        let leases = leases.unwrap_or_default();
        let is_own = |lease: &Lease| lease.process == process;
        let is_its_only = |lease: &Lease| is_own(lease) && lease.rounds == 1;
        Attempt {
            lease: leases.iter().rposition(is_own),
            had_lease: leases.last().is_some_and(is_its_only),
        }
    }

    /// Returns a broken rule, if any.
    pub fn take(&mut self, host: &str, id: &str, attempt: Attempt) -> Option<String> {
        let host = self.by_host.entry(host.to_owned()).or_default();
        host.owed.remove(id);
        let Some(number) = attempt.lease else {
            return Some(format!("{id} comes without a lease"));
        };
        let is_of_holder = attempt.had_lease && number + 1 == host.leases.len();
        let is_late = !is_of_holder || host.leases[number].replays != host.replays;
        let mut wrong = (host.recorded.contains(id) && !is_late)
            .then(|| format!("{id} comes again, and was recorded as delivered"));
        for lease in &host.leases[..number] {
            if lease.taken.contains_key(id) && !lease.is_excused && !is_late {
                let process = &lease.process;
                wrong = Some(format!("{id} comes again, and {process} lost nothing"));
            }
        }
        let lease = &mut host.leases[number];
        let times = lease.taken.entry(id.to_owned()).or_default();
        *times += 1;
        let most = lease.rounds + lease.lost.get(id).copied().unwrap_or_default();
        if *times > most {
            wrong = Some(format!("{id} comes {times} times under one lease"));
        }
        host.taken.push(Taken {
            id: id.to_owned(),
            is_late,
            replays: host.replays,
        });
        wrong
    }

    pub fn lose_answer(&mut self, host: &str, id: &str, attempt: Attempt) {
        let host = self.by_host.entry(host.to_owned()).or_default();
        if let Some(lease) = attempt.lease.and_then(|number| host.leases.get_mut(number)) {
            // The next holder of the lease repeats the attempt as well.
            lease.is_excused = true;
            *lease.lost.entry(id.to_owned()).or_default() += 1;
        }
    }
    pub fn recorded(&mut self, holder: Uuid, round: &Round) {
        self.released([Held {
            endpoint: round.endpoint,
            holder,
        }]);
        let Some(host) = self.host(round.endpoint) else {
            return;
        };
        let delivered = round.deliveries.iter().filter(|it| it.error.is_none());
        let delivered = delivered.map(|record| record.event.to_string());
        host.recorded.extend(delivered);
    }

    /// Returns whether the endpoint must get a recorded event again.
    pub fn replayed(&mut self, endpoint: EndpointId, to: Cursor) -> bool {
        let Some(host) = self.host(endpoint) else {
            return false;
        };
        let to = to.to_string();
        let mut again = host.recorded.split_off(&to);
        host.recorded.extend(again.take(&to));
        for lease in &mut host.leases {
            lease.taken.retain(|id, _| *id <= to);
        }
        if let Some(lease) = host.leases.last_mut() {
            lease.is_excused = true;
        }
        host.owed.extend(again);
        host.replays += 1;
        !host.owed.is_empty()
    }

    pub fn owed(&self, host: &str) -> BTreeSet<String> {
        let host = self.by_host.get(host);
        host.map(|host| host.owed.clone()).unwrap_or_default()
    }

    pub fn excuse(&mut self, process: Option<&str>) {
        for host in self.by_host.values_mut() {
            let is_its = |lease: &&mut Lease| process.is_none_or(|it| it == lease.process);
            if let Some(lease) = host.leases.last_mut().filter(is_its) {
                lease.is_excused = true;
            }
        }
    }

    pub fn is_late(&self, host: &str) -> bool {
        let host = self.by_host.get(host);
        let last = host.and_then(|host| host.taken.last());
        last.is_some_and(|taken| taken.is_late)
    }

    pub fn taken(&self) -> BTreeMap<String, Vec<Taken>> {
        let hosts = self.by_host.iter();
        hosts
            .map(|(name, host)| (name.clone(), host.taken.clone()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use kernel::testing::{minutes, noon};
    use webhooks::{Health, testing::endpoint};

    use super::*;

    const HOST: &str = "receiver-1.example";

    fn leased() -> Deliveries {
        let mut deliveries = Deliveries::default();
        lease(&mut deliveries, "p1");
        deliveries
    }

    /// Leases the endpoint two minutes after the last lease.
    fn lease(deliveries: &mut Deliveries, process: &str) {
        let last = deliveries.held.values().next();
        let now = last.map_or_else(noon, |(_, until)| *until + minutes(1));
        assert_eq!(lease_at(deliveries, process, now, now + minutes(1)), None);
    }

    fn lease_at(
        deliveries: &mut Deliveries,
        process: &str,
        now: OffsetDateTime,
        until: OffsetDateTime,
    ) -> Option<String> {
        let tracked = TrackedEndpoint {
            endpoint: endpoint(1),
            cursor: Cursor::START,
            health: Health::default(),
        };
        let query = LeaseQuery {
            holder: Uuid::now_v7(),
            until,
            now,
            end: Cursor::START,
            limit: 1,
        };
        deliveries.leased(process, &query, &[tracked], now)
    }

    fn take(deliveries: &mut Deliveries, process: &str) -> bool {
        let begun = deliveries.begin(process, HOST);
        deliveries.take(HOST, "event", begun).is_none()
    }

    #[test]
    fn an_event_comes_again_only_with_an_excuse() {
        assert!(!take(&mut Deliveries::default(), "p1"), "without a lease");
        let mut twice = leased();
        assert!(take(&mut twice, "p1"));
        assert!(!take(&mut twice, "p1"));
        let mut lost = leased();
        let begun = lost.begin("p1", HOST);
        lost.lose_answer(HOST, "event", begun);
        assert!(take(&mut lost, "p1") && take(&mut lost, "p1"));
        assert!(!take(&mut lost, "p1"), "once for each lost answer");
        for (excuse, is_fine) in [
            (None, false),
            (Some(Some("p2")), false),
            (Some(Some("p1")), true),
            (Some(None), true),
        ] {
            let mut again = leased();
            assert!(take(&mut again, "p1"));
            if let Some(process) = excuse {
                again.excuse(process);
            }
            lease(&mut again, "p2");
            assert_eq!(take(&mut again, "p2"), is_fine, "{excuse:?}");
        }
        let mut lapsed = Deliveries::default();
        lease_at(&mut lapsed, "p1", noon() + minutes(1), noon());
        assert!(take(&mut lapsed, "p1"));
        lease(&mut lapsed, "p2");
        assert!(take(&mut lapsed, "p2"), "the lease had ended when it came");
        let mut jumped = leased();
        jumped.excuse(None);
        lease(&mut jumped, "p1");
        assert!(take(&mut jumped, "p1"), "by the round before");
        lease(&mut jumped, "p2");
        assert!(take(&mut jumped, "p2"), "that round could not record it");
    }

    #[test]
    fn only_an_attempt_whose_lease_is_lost_is_late() {
        let mut deliveries = leased();
        assert!(take(&mut deliveries, "p1") && !deliveries.is_late(HOST));
        let begun = deliveries.begin("p1", HOST);
        lease(&mut deliveries, "p2");
        assert_eq!(deliveries.take(HOST, "other", begun), None);
        assert!(deliveries.is_late(HOST));
        let begun = deliveries.begin("p1", HOST);
        assert_eq!(deliveries.take(HOST, "another", begun), None);
        assert!(deliveries.is_late(HOST), "another process has the lease");
    }

    #[test]
    fn a_lease_that_another_holds_is_not_given() {
        let mut deliveries = leased();
        let until = noon() + minutes(1);
        let again = |deliveries: &mut Deliveries, now| {
            lease_at(deliveries, "p2", now, now + minutes(1)).is_none()
        };
        assert!(!again(&mut deliveries, noon() + minutes(1) / 2));
        assert!(again(&mut leased(), until));
        let (endpoint, (holder, _)) = deliveries.held.pop_first().unwrap();
        let held = Held { endpoint, holder };
        deliveries.renewed([held], until);
        deliveries.released([held]);
        assert!(again(&mut deliveries, noon()), "it was given back");
    }

    #[test]
    fn a_replay_repeats_what_was_recorded_after_its_place() {
        let mut deliveries = leased();
        let id = endpoint(1).id;
        let host = deliveries.by_host.get_mut(HOST).unwrap();
        host.recorded.extend(["", "event"].map(str::to_owned));
        assert!(!take(&mut deliveries, "p1"), "it was recorded");
        assert!(deliveries.replayed(id, Cursor::START));
        assert_eq!(deliveries.owed(HOST), ["event".to_owned()].into());
        assert!(take(&mut deliveries, "p1") && deliveries.is_late(HOST));
        lease(&mut deliveries, "p2");
        assert!(take(&mut deliveries, "p2") && !deliveries.is_late(HOST));
        assert_eq!(deliveries.owed(HOST), BTreeSet::new());
        assert!(!deliveries.replayed(EndpointId::new(Uuid::nil()), Cursor::START));
    }
}
