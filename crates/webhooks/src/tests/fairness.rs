//! Tests that no originator delays the events of another.

use std::collections::HashMap;

use domain::{
    posting::event::COMPANY_UPDATED,
    store::{Store as _, WriteSet},
    testing::{company, company_state},
};
use kernel::{
    Actor, ClientId,
    event::{Cursor, Event, EventLog as _, RecordedEvent, Subject},
    testing::uuid,
};
use proptest::{collection::vec, prelude::*, test_runner::Config};

use super::{ONE, World, answers, is_of, mins, secs};
use crate::{Attempt, Recorded, Webhooks as _, testing::endpoint};

const QUIET: u64 = 1_000;

/// How many other attempts may precede the first attempt for a subject with few events.
const ATTEMPTS: usize = 2 * 32;

#[derive(Clone, Debug)]
enum Load {
    /// An originator's companies: how many it changes, how often, and whether they are its own.
    Companies {
        by: u128,
        own: bool,
        companies: usize,
        times: usize,
    },
    Posting {
        n: u64,
        times: usize,
    },
}

fn load() -> impl Strategy<Value = Load> {
    prop_oneof![
        (0..4_u128, any::<bool>(), 1..80_usize, 1..4_usize).prop_map(
            |(by, own, companies, times)| Load::Companies {
                by,
                own,
                companies,
                times
            }
        ),
        (1..4_u64, 1..200_usize).prop_map(|(n, times)| Load::Posting { n, times }),
    ]
}

impl World {
    async fn rename(&self, by: u128, websites: impl IntoIterator<Item = String>) {
        let mut writes = WriteSet::new(self.now);
        for website in websites {
            let mut state = company_state(&company(&website));
            // The originator is an operator or a client.
            state.updated_by = Some(match by {
                0 => Actor::Operator(None),
                by => Actor::Client(ClientId::new(uuid(by))),
            });
            writes.tasks.events.push(Event {
                name: COMPANY_UPDATED,
                subject: Subject::Company(state),
                at: self.now,
                trace: None,
            });
        }
        self.store.commit(writes).await.unwrap();
    }

    async fn take(&self, load: &Load) {
        match load {
            Load::Posting { n, times } => self.publish(vec![*n; *times]).await,
            Load::Companies {
                by,
                own,
                companies,
                times,
            } => {
                let website = |n| {
                    if *own {
                        format!("c{by}x{n}")
                    } else {
                        format!("all{n}")
                    }
                };
                let websites = (0..*times).flat_map(|_| (0..*companies).map(website));
                self.rename(*by, websites).await;
            }
        }
    }

    async fn round(&mut self, receiver: &mut dyn FnMut(&RecordedEvent) -> Attempt) {
        let Some(leased) = self.lease(ONE, 1).await.pop() else {
            self.now += self.poll;
            return;
        };
        let round = self.attempt(leased, &mut |_, event| receiver(event)).await;
        assert_eq!(self.store.record(ONE, &round).await, Ok(Recorded::Done));
    }

    /// Counts the rounds and the other attempts until the receiver takes an event of the subject.
    async fn delay(&mut self, subject: impl Fn(&RecordedEvent) -> bool) -> (usize, usize) {
        let (mut rounds, before, mut place) = (0, self.seen.len(), None);
        while place.is_none() {
            rounds += 1;
            let (mut attempts, found) = (self.seen.len() - before, &mut place);
            self.round(&mut |event| {
                if subject(event) {
                    found.get_or_insert(attempts);
                }
                attempts += 1;
                answers(200)
            })
            .await;
        }
        (rounds, place.unwrap_or_default())
    }

    /// Checks that all events of each posting came in order, and the newest of each company.
    async fn assert_fair(&self) {
        let mut last = HashMap::new();
        for seen in self.taken(1) {
            let before = last.insert(seen.subject, seen.event);
            assert!(before < Some(seen.event), "in order, and not twice");
        }
        let taken: Vec<Cursor> = self.taken(1).map(|seen| seen.event).collect();
        for event in self.events().await {
            let subject = event.event.subject.id();
            match event.event.subject {
                Subject::Company(_) => assert!(last[&subject] >= event.cursor),
                _ => assert!(taken.contains(&event.cursor)),
            }
        }
        assert_eq!(self.stored().await, []);
        assert_eq!(
            self.tracked(1).await.cursor,
            self.store.end().await.unwrap()
        );
    }
}

/// At worst, events wait for a running round, and for one round per 2,048 earlier events.
#[pollster::test]
async fn the_companies_of_a_client_delay_no_posting_and_no_other_client() {
    let mut world = World::new("5", 1).await;
    let many = |by, companies| Load::Companies {
        by,
        own: true,
        companies,
        times: 1,
    };
    world.take(&many(1, 4_000)).await;
    world.publish([QUIET]).await;
    let (rounds, attempts) = world.delay(|event| is_of(event, QUIET.into())).await;
    assert!(rounds <= 3 && attempts <= ATTEMPTS, "{rounds} {attempts}");
    let waiting = world.store.count_waiting(endpoint(1).id, 999).await;
    assert!(waiting.unwrap() <= 2, "they wait as one");
    world.take(&many(2, 1)).await;
    let other = company("c2x0").id.uuid();
    let (rounds, attempts) = world.delay(|it| it.event.subject.id() == other).await;
    assert!(rounds == 1 && attempts <= ATTEMPTS, "{rounds} {attempts}");
    world.run(mins(5), &mut |_, _| answers(200)).await;
    world.assert_fair().await;
    assert_eq!(world.taken(1).count(), 4_002);
}

/// An operator's change overtakes the client's change, which is then dropped.
#[pollster::test]
async fn a_change_that_passes_a_clients_is_the_last_of_its_company() {
    let mut world = World::new("5", 1).await;
    world.rename(1, (0..500).map(|n| format!("c{n}"))).await;
    world.round(&mut |_| answers(200)).await;
    world.rename(0, ["c450".to_owned()]).await;
    world.run(mins(5), &mut |_, _| answers(200)).await;
    world.assert_fair().await;
    assert_eq!(world.taken(1).count(), 500);
}

#[pollster::test]
async fn companies_that_fail_leave_their_lane_and_are_retried() {
    let mut world = World::new("5,5", 1).await;
    world.rename(1, (0..100).map(|n| format!("c{n}"))).await;
    let mut tries = HashMap::<_, u32>::new();
    world
        .run(mins(2), &mut |_, event| {
            let attempts = tries.entry(event.cursor).or_default();
            *attempts += 1;
            answers(if *attempts == 1 { 500 } else { 200 })
        })
        .await;
    world.assert_fair().await;
    assert_eq!(world.taken(1).count(), 100);
}

proptest! {
    #![proptest_config(Config { cases: 24, failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_quiet_posting_is_delayed_by_few_rounds_among_any_changes(
        loads in vec((load(), 0..3_usize), 1..12),
        more in vec(load(), 0..4),
        failures in vec(0..10_u8, 50),
        place in 0..12_usize,
    ) {
        pollster::block_on(async {
            let mut world = World::new("1,1,1,1,1,1,1,1,1,1,1,1,1,1", 1).await;
            let mut answer = failures.iter().cycle();
            let mut receiver = move |_: &RecordedEvent| {
                answers(if answer.next() == Some(&0) { 500 } else { 200 })
            };
            for (at, (load, rounds)) in loads.iter().enumerate() {
                if at == place {
                    world.publish([QUIET + 1]).await;
                }
                world.take(load).await;
                for _ in 0..*rounds {
                    world.round(&mut receiver).await;
                }
            }
            for load in &more {
                world.take(load).await;
            }
            world.publish([QUIET]).await;
            let behind = world.events().await.len();
            let (rounds, attempts) = world.delay(|event| is_of(event, QUIET.into())).await;
            assert!(rounds <= 2 + behind / 2_048, "{rounds} rounds of {behind}");
            assert!(attempts <= rounds * 3 * ATTEMPTS, "{attempts} attempts");
            let end = world.elapsed() + mins(30);
            world.run(end, &mut |_, event| receiver(event)).await;
            world.run(end + secs(60), &mut |_, _| answers(200)).await;
            world.assert_fair().await;
        });
    }
}
