use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use kernel::outbox::Queue;
use runtime::waits;
use tokio::{sync::Notify, time::sleep};

/// Notifies loops of new tasks and events. A notification is kept until a loop waits for it.
#[derive(Debug, Default)]
pub struct Wake {
    queues: Mutex<HashMap<Queue, Arc<Signal>>>,
    recorded: Arc<Notify>,
    deliveries: Arc<Notify>,
}

#[derive(Debug, Default)]
pub(super) struct Signal {
    calls: Notify,
    /// Held by the waiting loop that polls.
    watch: tokio::sync::Mutex<()>,
}

impl Wake {
    fn queues(&self) -> MutexGuard<'_, HashMap<Queue, Arc<Signal>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The signal of a queue. Its loops also work on the fallback queue.
    pub(super) fn signal(&self, queue: Queue) -> Arc<Signal> {
        Arc::clone(self.queues().entry(queue).or_default())
    }

    pub(super) fn call(&self, queue: Queue) {
        let is_worked_on = |own: Queue| own == queue || own.fallback() == Some(queue);
        let queues = self.queues();
        if let Some((_, signal)) = queues.iter().find(|(own, _)| is_worked_on(**own)) {
            signal.call();
        }
    }

    pub(super) fn call_readers(&self) {
        self.recorded.notify_one();
        self.deliveries.notify_one();
    }

    /// Returns the notification of new events that the feed waits for.
    pub fn recorded(&self) -> Arc<Notify> {
        Arc::clone(&self.recorded)
    }

    /// Returns the notification of new events that the webhooks' deliveries wait for.
    pub(super) fn deliveries(&self) -> Arc<Notify> {
        Arc::clone(&self.deliveries)
    }
}

impl Signal {
    pub fn call(&self) {
        self.calls.notify_one();
    }

    /// Waits for a notification, or for about `time`. Only one of the waiting loops runs a timer,
    /// so many loops poll no more often than one.
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
