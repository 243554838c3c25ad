//! Distributed traces: the context that travels with a command, and the port to what records spans.
//!
//! A request has a span, and a push carries the span's [`TraceParent`] to the effects and events
//! that it causes, so that the enrichment and the deliveries to webhooks belong to its trace. A
//! store keeps the context in a column of the task and of the event. Without a tracer there are no
//! spans and the columns are empty: every caller has an `Option` and asks nothing else.

mod parent;

use std::{fmt, sync::Arc};

pub use self::parent::{InvalidTraceParent, TraceParent};

/// A span to start.
#[derive(Clone, Debug, Default)]
pub struct NewSpan<'a> {
    /// The name: an operation, of which there are few.
    pub name: &'a str,
    /// The role of this service.
    pub role: SpanRole,
    /// The span that caused it; `None` begins a trace.
    pub parent: Option<TraceParent>,
    /// Other spans that it is for.
    pub links: &'a [TraceParent],
}

/// The role of the service in the operation of a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpanRole {
    /// Answers a request.
    Server,
    /// Makes a request.
    Client,
    /// Carries out a task that was asked for earlier.
    Consumer,
    /// None of these.
    #[default]
    Internal,
}

/// The port to what records spans.
pub trait Tracer: fmt::Debug + Send + Sync {
    /// Starts a span, which ends when it is dropped. Never waits.
    fn start(&self, span: NewSpan<'_>) -> Box<dyn Span>;
}

/// A span that has started and ends when it is dropped.
pub trait Span: Send {
    /// The context for what the span causes; `None` once the tracer has ended.
    fn context(&self) -> Option<TraceParent>;

    /// Replaces the name, once more is known.
    fn rename(&mut self, name: &str);

    /// Sets an attribute to a text.
    fn set(&mut self, attribute: &'static str, value: &str);

    /// Sets an attribute to a number.
    fn count(&mut self, attribute: &'static str, value: i64);

    /// Marks the operation as failed.
    fn fail(&mut self, why: &str);
}

/// The tracer of a process; `None` where traces are off.
pub type OptionalTracer = Option<Arc<dyn Tracer>>;

/// The most spans that one span is linked to.
pub const MOST_LINKS: usize = 128;

/// The contexts among these, each once, up to [`MOST_LINKS`].
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
