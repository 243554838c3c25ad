//! Threads for what nobody waits for.

use std::{future::Future, io};

use tokio::{
    runtime::{Builder, Handle, Runtime},
    task::JoinHandle,
};

/// How much such a thread gives way to others, in the terms of `nice`: next to a thread that
/// serves it gets about a tenth of a core, and all of it while the others rest.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// A few threads of low priority. What computes on them for long slows down nobody who waits
/// for an answer, and takes no other thread's turn.
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

    /// None, for what mostly waits: it runs where everything else does. Whoever it waits for may
    /// keep a connection open on the threads that made it, so those should stay and not give way.
    pub fn none() -> Self {
        Self {
            handle: Handle::current(),
            runtime: None,
        }
    }

    /// Starts work.
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
            // Waits for nothing: this may be a thread that must not be blocked.
            runtime.shutdown_background();
        }
    }
}

#[cfg(target_os = "linux")]
fn give_way() {
    // On Linux this is about the calling thread alone. Priority can be given up and not taken.
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
