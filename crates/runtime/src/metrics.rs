//! [`metrics!`](crate::metrics!) declares and registers a metric. The page of metrics and
//! `docs/reference.md` show all metrics that are linked into the program.

use ::metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
#[doc(hidden)]
pub use inventory;

#[derive(Debug)]
pub struct Metric {
    pub name: &'static str,
    pub kind: Kind,
    pub unit: Option<Unit>,
    /// The meaning and the labels, for the page of metrics.
    pub help: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A counter, whose name ends in `_total`.
    Counter,
    Gauge,
    /// A histogram with the upper bounds of its buckets.
    Histogram(&'static [f64]),
}

/// Sets first values of metrics. So Prometheus sees the first event as an increase.
#[doc(hidden)]
pub struct Start(pub fn());

inventory::collect!(Metric);
inventory::collect!(Start);

/// All linked metrics, in any order.
pub fn all() -> impl Iterator<Item = &'static Metric> {
    inventory::iter::<Metric>.into_iter()
}

pub fn describe() {
    for Metric {
        name,
        kind,
        unit,
        help,
    } in all()
    {
        match (kind, *unit) {
            (Kind::Counter, Some(unit)) => describe_counter!(*name, unit, *help),
            (Kind::Counter, None) => describe_counter!(*name, *help),
            (Kind::Gauge, Some(unit)) => describe_gauge!(*name, unit, *help),
            (Kind::Gauge, None) => describe_gauge!(*name, *help),
            (Kind::Histogram(_), Some(unit)) => describe_histogram!(*name, unit, *help),
            (Kind::Histogram(_), None) => describe_histogram!(*name, *help),
        }
    }
}

pub fn start() {
    for Start(start) in inventory::iter::<Start> {
        start();
    }
}

/// Declares metrics: for each, a constant with its name, and its help text. `start` names a
/// function that sets first values. The calling crate must depend on the crate `metrics`.
///
/// ```text
/// runtime::metrics! {
///     start zero;
///     counter ERRORS in Count = "posthaste_errors_total",
///         "Errors of something, by kind";
///     histogram TIME in Seconds [0.1, 1.0] = "posthaste_time_seconds",
///         "How long something took";
/// }
/// ```
#[macro_export]
macro_rules! metrics {
    (@kind counter) => { $crate::metrics::Kind::Counter };
    (@kind gauge) => { $crate::metrics::Kind::Gauge };
    (@kind histogram $($bound:literal)+) => {
        $crate::metrics::Kind::Histogram(&[$($bound),+])
    };
    (@unit) => { None };
    (@unit $unit:ident) => { Some(::metrics::Unit::$unit) };
    (start $start:path; $($metrics:tt)+) => {
        $crate::metrics::inventory::submit! { $crate::metrics::Start($start) }

        $crate::metrics! { $($metrics)+ }
    };
    ($(
        $kind:ident $name:ident $(in $unit:ident)? $([$($bound:literal),+ $(,)?])? = $text:literal,
            $help:literal;
    )+) => {
        $(
            const $name: &str = $text;

            $crate::metrics::inventory::submit! {
                $crate::metrics::Metric {
                    name: $name,
                    kind: $crate::metrics! { @kind $kind $($($bound)+)? },
                    unit: $crate::metrics! { @unit $($unit)? },
                    help: $help,
                }
            }
        )+
    };
}
