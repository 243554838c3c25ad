//! Distributed traces: the context of a command, and the port to a span recorder.
//!
//! A request has a span. A push passes the span's [`TraceParent`] to its effects and events, so
//! that enrichment and deliveries belong to the push's trace. Stores keep the context with each
//! task and event. Without a tracer, callers have `None`, and the columns are empty.

mod parent;

use std::{fmt, sync::Arc};

pub use self::parent::{InvalidTraceParent, TraceParent};

/// A span to start.
#[derive(Clone, Debug, Default)]
pub struct NewSpan<'a> {
    /// The name of the operation, from a small set: no ids, no other variable parts.
    pub name: &'a str,
    /// The role of this service.
    pub role: SpanRole,
    /// The span that caused it; `None` begins a trace.
    pub parent: Option<TraceParent>,
    /// Other spans that caused it.
    pub links: &'a [TraceParent],
}

/// The role of the service in the operation of a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpanRole {
    /// Answers a request.
    Server,
    /// Makes a request.
    Client,
    /// Executes a task requested earlier.
    Consumer,
    /// Any other role.
    #[default]
    Internal,
}

/// The port to a span recorder.
pub trait Tracer: fmt::Debug + Send + Sync {
    /// Starts a span, which ends when it is dropped. Never waits.
    fn start(&self, span: NewSpan<'_>) -> Box<dyn Span>;
}

/// A span that has started and ends when it is dropped.
pub trait Span: Send {
    /// The context for later work; `None` once the tracer has ended.
    fn context(&self) -> Option<TraceParent>;

    /// Replaces the name when more is known.
    fn rename(&mut self, name: &str);

    /// Sets an attribute to a text.
    fn set(&mut self, attribute: &'static str, value: &str);

    /// Sets an attribute to a number.
    fn count(&mut self, attribute: &'static str, value: i64);

    /// Marks the operation as failed.
    fn fail(&mut self, why: &str);
}

/// A process's tracer; `None` if traces are off.
pub type OptionalTracer = Option<Arc<dyn Tracer>>;

/// The largest number of links of a span.
pub const MOST_LINKS: usize = 128;

/// The distinct contexts among these, up to [`MOST_LINKS`].
pub fn links(contexts: impl IntoIterator<Item = Option<TraceParent>>) -> Vec<TraceParent> {
    let mut links: Vec<TraceParent> = Vec::new();
    for context in contexts.into_iter().flatten() {
        if links.len() == MOST_LINKS {
            break;
        }
        if !links.contains(&context) {
            links.push(context);
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_context_is_linked_once_and_their_number_is_bounded() {
        let context = |n: u128| TraceParent::new(n, 1, true);
        let [one, two] = [context(1), context(2)];
        assert_eq!(links([one, None, two, one]), [one.unwrap(), two.unwrap()]);
        assert_eq!(links((1..=500).map(context)).len(), MOST_LINKS);
        assert!(links([None, None]).is_empty());
    }
}
