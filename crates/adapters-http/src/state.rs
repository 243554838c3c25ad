//! The state that all handlers share: the ports and the limits of requests.

use std::sync::Arc;

use http_server::Timeouts;
pub use runtime::clock::now;
use tokio_util::sync::CancellationToken;

use crate::{
    body::BodyLimit,
    ports::Ports,
    slots::{Share, Slots},
};

pub type Appeal = Option<Arc<str>>;

pub struct State {
    pub ports: Ports,
    pub appeal: Appeal,
    pub public_url: String,
    pub body_limit: usize,
    pub import_limit: u64,
    pub timeouts: Timeouts,
    /// Cancelled when the server stops, so that waiting answers end.
    pub stopping: CancellationToken,
    /// The share of bytes for requests without a known client.
    pub strangers: Share,
    pub receiver_calls: Arc<Slots>,
    pub pages: Arc<Slots>,
    /// Places for exports. An export holds up to two pages while its client reads.
    pub exports: Arc<Slots>,
    /// Places for waits for events. A wait holds a connection for up to half a minute.
    pub waits: Arc<Slots>,
    /// Places for imports. An import holds some lines while its client sends.
    pub imports: Arc<Slots>,
}

impl State {
    pub const fn body_limit(&self) -> BodyLimit {
        BodyLimit {
            bytes: self.body_limit,
            time: self.timeouts.body,
        }
    }

    pub fn small_limit(&self, bytes: usize) -> BodyLimit {
        BodyLimit {
            bytes: bytes.min(self.body_limit),
            ..self.body_limit()
        }
    }

    pub fn anonymous_limit(&self, bytes: usize) -> BodyLimit {
        BodyLimit {
            bytes: bytes.min(self.body_limit),
            time: self.timeouts.anonymous_body,
        }
    }
}
