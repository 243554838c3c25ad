//! Logs failed authentication of clients, with a limited number of lines.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use kernel::ClientId;
use time::{Duration, OffsetDateTime};

/// The minimum time between two log lines about a client.
const WINDOW: Duration = Duration::MINUTE;
/// How many clients have log lines of their own. All other clients share a line.
const MOST_CLIENTS: usize = 256;

/// Failures that are not logged yet, by client. `None` stands for malformed ids, and for clients
/// beyond [`MOST_CLIENTS`].
#[derive(Debug, Default)]
pub(super) struct FailedClients(Mutex<HashMap<Option<ClientId>, Window>>);

#[derive(Debug)]
struct Window {
    logged_at: OffsetDateTime,
    since: u64,
}

impl FailedClients {
    pub fn note(&self, client: Option<ClientId>, now: OffsetDateTime) {
        let Some((client, failures)) = self.count(client, now) else {
            return;
        };
        if let Some(client_id) = client {
            tracing::warn!(
                %client_id,
                failures,
                "a client failed to authenticate: it is unknown or revoked, or its secret is wrong"
            );
        } else {
            tracing::warn!(
                failures,
                "clients failed to authenticate: their ids are malformed, or too many clients fail"
            );
        }
    }

    /// Counts a failure. If a log line is due, returns the number of failures since the last line.
    fn count(
        &self,
        client: Option<ClientId>,
        now: OffsetDateTime,
    ) -> Option<(Option<ClientId>, u64)> {
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if windows.len() >= MOST_CLIENTS && !windows.contains_key(&client) {
            windows.retain(|_, window| now - window.logged_at < WINDOW);
        }
        let is_known = windows.contains_key(&client) || windows.len() < MOST_CLIENTS;
        let client = client.filter(|_| is_known);
        let window = windows.entry(client).or_insert(Window {
            logged_at: now - WINDOW,
            since: 0,
        });
        window.since += 1;
        if now - window.logged_at < WINDOW {
            return None;
        }
        window.logged_at = now;
        Some((client, std::mem::take(&mut window.since)))
    }
}

#[cfg(test)]
mod tests {
    use kernel::testing::{noon, uuid};

    use super::*;

    #[test]
    fn each_client_has_a_line_a_minute_with_the_count() {
        let failed = FailedClients::default();
        let [one, other] = [1, 2].map(|n| Some(ClientId::new(uuid(n))));
        let second = |n| noon() + Duration::seconds(n);
        assert_eq!(failed.count(one, second(0)), Some((one, 1)));
        for n in 1..60 {
            assert_eq!(failed.count(one, second(n)), None);
        }
        assert_eq!(failed.count(other, second(30)), Some((other, 1)));
        assert_eq!(failed.count(one, second(60)), Some((one, 60)));
    }

    #[test]
    fn however_many_ids_are_tried_the_memory_is_bounded() {
        let failed = FailedClients::default();
        let lines = (0..10_000)
            .filter_map(|n| failed.count(Some(ClientId::new(uuid(n))), noon()))
            .count();
        assert_eq!(lines, MOST_CLIENTS + 1, "one line for all the others");
        assert!(failed.0.lock().unwrap().len() <= MOST_CLIENTS + 1);
        // A minute later, these clients are forgotten, so a new client gets its own line.
        let newcomer = Some(ClientId::new(uuid(20_000)));
        let counted = failed.count(newcomer, noon() + WINDOW);
        assert_eq!(counted, Some((newcomer, 1)));
    }
}
