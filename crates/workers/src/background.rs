//! Low-priority threads for work that no client waits for.

use std::{future::Future, io};

use tokio::{
    runtime::{Builder, Handle, Runtime},
    task::JoinHandle,
};

/// At this niceness, a thread gets about a tenth of a core while another thread is busy.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Runs long computations on separate threads, so that they delay no request.
pub(super) struct Background {
    handle: Handle,
    runtime: Option<Runtime>,
}

impl Background {
    pub fn new(threads: usize) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads.max(1))
            .thread_name("background")
            .on_thread_start(give_way)
            .enable_all()
            .build()?;
        Ok(Self {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        })
    }

    /// Uses the main runtime, because HTTP connections must stay on the runtime that opened them.
    pub fn none() -> Self {
        Self {
            handle: Handle::current(),
            runtime: None,
        }
    }

    pub fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.handle.spawn(work)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // The current thread may be one that must not block.
            runtime.shutdown_background();
        }
    }
}

#[cfg(target_os = "linux")]
fn give_way() {
    // On Linux this sets only the calling thread. Its priority can be lowered but not raised.
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "a background thread keeps its priority");
    }
}

#[cfg(not(target_os = "linux"))]
fn give_way() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_its_own_threads_give_way() {
        let niceness = || rustix::process::getpriority_process(None).unwrap();
        let before = niceness();
        let background = Background::new(2).unwrap();
        let within = background.spawn(async move { niceness() });
        assert_eq!(within.await.unwrap(), NICENESS.max(before));
        assert_eq!(niceness(), before);
    }
}
