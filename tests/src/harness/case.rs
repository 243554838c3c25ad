//! The runtime and the time limit of a case.

use std::time::Duration;

use tokio::{
    runtime::{Builder, Runtime},
    time::timeout,
};

/// The time limit of a case, several times what the slowest takes on a busy machine.
const LIMIT: Duration = Duration::from_mins(30);

/// A runtime that is left without waiting for its threads: a case that fails does not stop the
/// threads that it started, and a test that waits for them hides the failure and never ends.
struct Left(Option<Runtime>);

impl Drop for Left {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Runs a case to its end, and panics after [`LIMIT`].
pub fn finish(case: impl Future<Output = ()>) {
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    let left = Left(Some(runtime));
    let ended = async { timeout(LIMIT, case).await };
    let ended = left.0.as_ref().unwrap().block_on(ended);
    assert!(ended.is_ok(), "the case took more than {LIMIT:?}");
}
