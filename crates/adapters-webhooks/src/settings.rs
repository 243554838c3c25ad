//! Settings of the client.

use std::time::Duration;

use webhooks::PrivateAddresses;

/// The settings of the client.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Whether receivers may have private addresses, and plain HTTP.
    pub private: PrivateAddresses,
    /// The time limits.
    pub limits: Limits,
    /// The number of names that the system looks up at a time. Each lookup takes a thread of the
    /// runtime's pool, and keeps it after the attempt has ended if the name servers do not answer.
    pub lookups: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            private: PrivateAddresses::default(),
            limits: Limits::default(),
            lookups: 128,
        }
    }
}

/// The time limits of an attempt.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The limit for the addresses of a name.
    pub resolution: Duration,
    /// The limit for a connection, with the addresses and TLS.
    pub connection: Duration,
    /// The limit for everything.
    pub answer: Duration,
    /// The limit for the body after the status. It is read only so that its connection can be used
    /// again.
    pub rest: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            resolution: Duration::from_secs(5),
            connection: Duration::from_secs(10),
            answer: Duration::from_secs(15),
            rest: Duration::from_secs(1),
        }
    }
}

/// The reason why there is no client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// It cannot be built.
    #[error("no HTTP client can be made for webhooks: {0}")]
    Client(String),
}
