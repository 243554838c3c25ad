//! Measures every second how far a replica is behind the store.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use ::metrics::gauge;
use domain::store::ReplicaPosition;
use futures_util::{FutureExt as _, future::join};
use kernel::StoreError;
use runtime::Loops;
use tokio::time::{Instant, sleep, timeout};

runtime::metrics! {
    gauge UP in Count = "posthaste_replica_up",
        "1 while this process reads lists, exports and events from the replica, 0 while from the \
         primary";
    gauge LAG in Seconds = "posthaste_replica_lag_seconds",
        "The lag of the replica behind the primary";
}

const INTERVAL: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(3);
/// The number of remembered positions of the primary, enough for an hour.
const MOST: usize = 3_600;

#[derive(Clone, Debug, Default)]
pub struct Lag(Arc<Mutex<Option<Duration>>>);

impl Lag {
    /// `None` while the replica is unavailable.
    pub fn get(&self) -> Option<Duration> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub fn compare(
    primary: Arc<dyn ReplicaPosition>,
    replica: Arc<dyn ReplicaPosition>,
    loops: &mut Loops,
) -> Lag {
    let lag = Lag::default();
    let watch = watch(primary, replica, lag.clone());
    loops.spawn(|stop| stop.run_until_cancelled_owned(watch).map(drop));
    lag
}

async fn watch(primary: Arc<dyn ReplicaPosition>, replica: Arc<dyn ReplicaPosition>, lag: Lag) {
    let mut track = Track::default();
    let mut known = None;
    loop {
        let asked = join(in_time(primary.position()), in_time(replica.position()));
        let (primary, replica) = asked.await;
        let now = Instant::now();
        // Without an answer from the primary, the lag is measured by the known positions.
        if let Ok(Some(position)) = primary {
            track.note(now, position);
        }
        let found = match replica {
            Ok(position) => position.map(|position| track.lag(now, position)),
            Err(error) => {
                if known != Some(false) {
                    tracing::warn!(%error, "the replica is unavailable; the primary is read instead");
                }
                None
            }
        };
        if found.is_some() && known != Some(true) {
            tracing::info!("lists, exports and events are read from the replica");
        }
        known = Some(found.is_some());
        gauge!(UP).set(u8::from(found.is_some()));
        if let Some(lag) = found {
            gauge!(LAG).set(lag);
        }
        *lag.0.lock().unwrap_or_else(PoisonError::into_inner) = found;
        sleep(INTERVAL).await;
    }
}

async fn in_time<T>(answer: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    let answer = timeout(PATIENCE, answer).await;
    answer.unwrap_or_else(|elapsed| Err(StoreError::Unavailable(elapsed.to_string())))
}

#[derive(Debug, Default)]
struct Track(VecDeque<(Instant, u64)>);

impl Track {
    fn note(&mut self, now: Instant, position: u64) {
        let has_moved = self.0.back().is_none_or(|(_, last)| *last < position);
        if has_moved && self.0.len() < MOST {
            self.0.push_back((now, position));
        }
    }

    /// The age of the oldest position that the replica has not reached.
    fn lag(&mut self, now: Instant, replica: u64) -> Duration {
        while self.0.front().is_some_and(|(_, place)| *place <= replica) {
            self.0.pop_front();
        }
        let first = self.0.front();
        first.map_or(Duration::ZERO, |(at, _)| now.saturating_duration_since(*at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lag_is_the_age_of_what_the_replica_has_not() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let seconds = Duration::from_secs;
        let mut track = Track::default();
        assert_eq!(track.lag(at(0), 0), seconds(0), "nothing is known");
        track.note(at(1), 100);
        assert_eq!(track.lag(at(1), 100), seconds(0));
        track.note(at(2), 150);
        track.note(at(3), 170);
        assert_eq!(track.lag(at(5), 149), seconds(3));
        assert_eq!(track.lag(at(6), 150), seconds(3));
        // The primary writes nothing, and the replica has everything.
        track.note(at(7), 170);
        assert_eq!(track.lag(at(60), 170), seconds(0));
    }

    #[test]
    fn a_stopped_replica_takes_no_memory() {
        let start = Instant::now();
        let mut track = Track::default();
        for second in 0..10_000 {
            track.note(start + Duration::from_secs(second), second + 1);
        }
        assert_eq!(track.0.len(), MOST);
        let lag = track.lag(start + Duration::from_secs(10_000), 0);
        assert_eq!(lag, Duration::from_secs(10_000));
    }
}
