//! The loops of a worker.

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The running loops of a worker.
pub(super) struct Loops {
    pub running: JoinSet<()>,
    pub stop: CancellationToken,
}

impl Loops {
    /// Adds a loop, which ends once its token is cancelled.
    pub fn spawn<F>(&mut self, work: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.running.spawn(work(self.stop.clone()));
    }
}
