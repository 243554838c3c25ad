//! Workers: what they claim and call, and where they are killed.

use std::task::{Context, Poll, Waker};

use super::{super::paced::Pause, *};
use crate::{
    subscriber::{provider::Provider as _, reconciliation::ConcurrentWrites},
    tasks,
    usecase::reconcile,
};

impl Model {
    /// Claims a task. Only one job at a time calls the old account about a person, as the lease of
    /// the accounts and the worker's lock ensure.
    pub(super) fn claim_any(&mut self) {
        let at = self.dice.below(QUEUES.len());
        self.claim(QUEUES[at]);
    }

    fn claim(&mut self, queue: Queue) -> bool {
        let works_in_old = |queue| {
            let (sync, first) = (tasks::syncs(Account::Old), tasks::bulk_syncs(Account::Old));
            queue == tasks::MIGRATE || queue == sync || queue == first
        };
        let is_taken = self.jobs.iter().any(|job| {
            let effect = job.claim.as_ref().map(|(_, effect)| effect.queue());
            effect.is_some_and(works_in_old) && works_in_old(queue)
        });
        if is_taken {
            return false;
        }
        self.claims += 1;
        let lease = uuid(0x1_0000 + self.claims);
        let claimed = self
            .store
            .claim(queue, 1, Duration::WEEK, lease, self.now());
        let Some(task) = pollster::block_on(claimed).unwrap().into_iter().next() else {
            return false;
        };
        self.note(format!("claim {:?}", task.effect));
        let (store, provider) = (Arc::clone(&self.store), Arc::clone(&self.provider));
        let (clock, addresses) = (Arc::clone(&self.clock), Arc::clone(&self.addresses));
        let (token, effect) = (task.token, task.effect);
        let future = Box::pin(async move {
            let now = || noon() + Duration::seconds(clock.load(Ordering::Relaxed));
            Pause(false).await;
            let steps = Steps {
                store: &store,
                provider: &*provider,
                addresses: &addresses,
                now: &now,
            };
            steps.run(token, effect).await
        });
        self.jobs.push(Job {
            claim: Some((token, effect)),
            future,
        });
        true
    }

    /// Starts reading an account's whole list.
    pub(super) fn read_list(&mut self) {
        let account = self.dice.pick(Account::ALL);
        self.note(format!("read the list of {account}"));
        let (store, provider) = (Arc::clone(&self.store), Arc::clone(&self.provider));
        let clock = Arc::clone(&self.clock);
        let future = Box::pin(async move {
            let now = || noon() + Duration::seconds(clock.load(Ordering::Relaxed));
            let mut cursor = None;
            loop {
                let page = provider.page(account, cursor.as_ref()).await?;
                let done = reconcile(
                    &*store,
                    account,
                    &page.people,
                    ConcurrentWrites::Possible,
                    now(),
                )
                .await;
                done.unwrap();
                cursor = page.next;
                if cursor.is_none() {
                    return Ok(());
                }
            }
        });
        self.jobs.push(Job {
            claim: None,
            future,
        });
    }

    pub(super) fn poll_one(&mut self) {
        if self.jobs.is_empty() {
            return;
        }
        let at = self.dice.below(self.jobs.len());
        let mut context = Context::from_waker(Waker::noop());
        let before = self.reached();
        let polled = self.jobs[at].future.as_mut().poll(&mut context);
        self.check_reached(&before);
        self.check_joined();
        let Poll::Ready(result) = polled else {
            return;
        };
        let job = self.jobs.remove(at);
        let Some((token, effect)) = job.claim else {
            return;
        };
        self.note(format!("{effect:?} {result:?}"));
        let now = self.now();
        pollster::block_on(async {
            match result {
                Ok(()) => {}
                Err(ProviderError::Permanent(why)) => {
                    self.store.give_up(token, &why, now).await.unwrap();
                }
                Err(error) => {
                    let why = error.to_string();
                    let again = self.store.retry(token, now, &why, now);
                    again.await.unwrap();
                }
            }
        });
    }

    /// Kills a job. Its completed calls had their effect, but are not recorded.
    pub(super) fn kill_one(&mut self) {
        if !self.jobs.is_empty() {
            let at = self.dice.below(self.jobs.len());
            self.kill(at);
        }
    }

    pub(super) fn kill_all(&mut self) {
        while !self.jobs.is_empty() {
            self.kill(0);
        }
    }

    fn kill(&mut self, at: usize) {
        let job = self.jobs.remove(at);
        if let Some((token, effect)) = job.claim {
            self.note(format!("kill {effect:?}"));
            let now = self.now();
            let given_back = self.store.retry(token, now, "killed", now);
            pollster::block_on(given_back).unwrap();
        }
    }

    /// Stops all faults, and runs until all jobs and deliveries are done.
    pub(super) fn come_to_rest(&mut self) {
        *self.provider.failing.lock().unwrap() = 0;
        // Some changes are not delivered, so the lists have to be read.
        let all_is_said = self.returned.is_empty() && self.silent.is_empty();
        let reads = usize::from(!all_is_said) * 20;
        for reads in [0, reads, 0, 0, 0] {
            // By then, all waiting tasks are due.
            self.clock.fetch_add(7_200, Ordering::Relaxed);
            for _ in 0..reads {
                self.read_list();
            }
            self.drain();
        }
    }

    /// Runs all due tasks and deliveries.
    pub(super) fn drain(&mut self) {
        for round in 0.. {
            assert!(round < 10_000, "never: {:#?}", self.log);
            self.clock.fetch_add(1, Ordering::Relaxed);
            self.provider.memory.at(self.now());
            self.deliver_one();
            while !self.jobs.is_empty() {
                self.poll_one();
            }
            let is_idle = !QUEUES.into_iter().any(|queue| self.claim(queue));
            if is_idle && self.provider.deliveries.lock().unwrap().is_empty() {
                break;
            }
        }
    }
}
