//! Wakes the worker's loops and the readers of events after commits of this process.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use kernel::outbox::Queue;
use runtime::waits;
use tokio::{sync::Notify, time::sleep};

/// Notifies a worker's loops of new tasks and events. A notification without a waiting loop is kept
/// for the next one.
#[derive(Debug, Default)]
pub struct Wake {
    /// The signals of the queues that loops work on.
    queues: Mutex<HashMap<Queue, Arc<Signal>>>,
    /// Events of any name, for the feed.
    recorded: Arc<Notify>,
    /// The same, for the deliveries to webhooks.
    deliveries: Arc<Notify>,
}

/// The notifications of the loops of one queue.
#[derive(Debug, Default)]
pub(super) struct Signal {
    calls: Notify,
    /// Held by the one waiting loop that polls.
    watch: tokio::sync::Mutex<()>,
}

impl Wake {
    fn queues(&self) -> MutexGuard<'_, HashMap<Queue, Arc<Signal>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The signal of the loops of a queue, which also work on its fallback queue.
    pub(super) fn signal(&self, queue: Queue) -> Arc<Signal> {
        Arc::clone(self.queues().entry(queue).or_default())
    }

    /// Notifies one loop that waits for tasks of this queue.
    pub(super) fn call(&self, queue: Queue) {
        let is_worked_on = |own: Queue| own == queue || own.fallback() == Some(queue);
        let queues = self.queues();
        if let Some((_, signal)) = queues.iter().find(|(own, _)| is_worked_on(**own)) {
            signal.call();
        }
    }

    /// Notifies the readers of events.
    pub(super) fn call_readers(&self) {
        self.recorded.notify_one();
        self.deliveries.notify_one();
    }

    /// The notification that this process has committed events. It has one waiter, the feed.
    pub fn recorded(&self) -> Arc<Notify> {
        Arc::clone(&self.recorded)
    }

    /// The same notification for the deliveries to webhooks, which are another waiter.
    pub(super) fn deliveries(&self) -> Arc<Notify> {
        Arc::clone(&self.deliveries)
    }
}

impl Signal {
    /// Notifies one waiting loop.
    pub fn call(&self) {
        self.calls.notify_one();
    }

    /// Waits for a notification, or for about this time. Only one of the waiting loops runs a
    /// timer, so that many loops poll no more often than one.
    pub async fn called_within(&self, time: Duration) {
        let tick = async {
            let _watch = self.watch.lock().await;
            sleep(waits::jittered(time)).await;
        };
        tokio::select! {
            () = self.calls.notified() => {}
            () = tick => {}
        }
    }
}
