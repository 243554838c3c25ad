//! The traces of the fixtures.

use kernel::{
    Prefixes,
    event::{EventName, LogQuery},
    outbox::{Kind, Queue},
    testing::{hours, noon, uuid},
    trace::TraceParent,
};

use crate::testing::AllPorts;

/// A task and an event of a trace.
pub(super) async fn come_back<S: AllPorts>(store: &S) {
    let trace = |is_sampled| {
        let (trace, span) = (
            0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736,
            0x00f0_67aa_0ba9_02b7,
        );
        TraceParent::new(trace, span, is_sampled)
    };
    let (queue, now) = (Queue::of(Kind::new("traced")), noon() + hours(48));
    let claimed = store.claim(queue, 9, hours(1), uuid(1), now).await;
    let traces: Vec<_> = claimed.into_iter().flatten().map(|it| it.trace).collect();
    assert_eq!(traces, [trace(true)]);
    let query = LogQuery {
        after: None,
        names: vec![EventName::new("Traced")],
        prefixes: Prefixes::ALL,
        limit: 9,
    };
    let page = store.read(&query).await.expect("the log is there");
    let traces: Vec<_> = page.events.iter().map(|it| it.event.trace).collect();
    assert_eq!(traces, [trace(false)]);
}
