//! The source of lists, exports and events: the store, or a replica of it.

use std::{sync::Arc, time::Duration};

use actix_web::{
    HttpResponse,
    http::header::{HeaderMap, HeaderName, HeaderValue},
};
use domain::store::PostingReader;
use kernel::event::EventFeed;

/// By how many seconds an answer is behind the store. Absent below one second.
const NAME: HeaderName = HeaderName::from_static("posthaste-replica-lag");

/// A source, from which the whole of an answer is read: another one may be further behind.
#[derive(Clone)]
pub struct ReadPorts {
    /// Reads postings.
    pub postings: Arc<dyn PostingReader>,
    /// Reads the event log.
    pub events: Arc<dyn EventFeed>,
    /// By how much the source is behind the store.
    pub lag: Duration,
}

/// Chooses the source of an answer.
pub trait ReadSource: Send + Sync {
    /// The source to read the next answer from.
    fn choose(&self) -> ReadPorts;
}

/// The only source.
impl ReadSource for ReadPorts {
    fn choose(&self) -> Self {
        self.clone()
    }
}

impl ReadPorts {
    /// The answer, which says by how much it is behind.
    pub(crate) fn label(&self, mut answer: HttpResponse) -> HttpResponse {
        self.mark(answer.headers_mut());
        answer
    }

    /// Adds to the headers of an answer by how much it is behind.
    pub(crate) fn mark(&self, headers: &mut HeaderMap) {
        let seconds = self.lag.as_secs();
        if seconds > 0 {
            headers.insert(NAME, HeaderValue::from(seconds));
        }
    }
}
