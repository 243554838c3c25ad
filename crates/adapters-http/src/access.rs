//! The access log and the metric of requests: one line and one measurement per answer.
//!
//! Both contain the pattern of the route instead of the path, because paths contain e-mail
//! addresses and query strings contain tokens.

use std::{cell::RefCell, collections::HashMap, time::Duration};

use actix_web::http::{Method, StatusCode};
use http_server::RequestId;
use kernel::ClientId;
use metrics::{Histogram, histogram};

runtime::metrics! {
    // Most boundaries are those of OpenTelemetry's conventions. The lowest boundary is for
    // unchanged pushes, which take less than a millisecond. The highest is for waits for events.
    histogram REQUEST_SECONDS in Seconds
        [0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0]
        = "http_server_request_duration_seconds",
        "The time from the head of a request to the head of its answer, by http_route (a pattern, \
         or _OTHER), http_request_method and http_response_status_code";
}

/// The label for unknown methods and paths. Otherwise clients could create time series.
const OTHER: &str = "_OTHER";

/// The methods that have their own label (RFC 9110, RFC 5789).
const METHODS: [&str; 9] = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
];

pub fn note(
    id: &RequestId,
    method: &'static str,
    route: Option<&str>,
    status: StatusCode,
    client: Option<ClientId>,
    trace_id: Option<String>,
    elapsed: Duration,
) {
    let route = route.unwrap_or(OTHER);
    let status = status.as_u16();
    let duration_ms = (elapsed.as_secs_f64() * 1e6).round() / 1e3;
    // The line is outside the request's span, whose fields would otherwise appear twice.
    tracing::info!(
        target: "posthaste::access",
        parent: None,
        request_id = %id,
        method,
        route,
        status,
        duration_ms,
        client = client.map(tracing::field::display),
        trace_id = trace_id.map(tracing::field::display),
        "answered"
    );
    measure(route, method, status, elapsed);
}

/// The pattern of a route without the expressions of its parts: `/a/{b:[^/]*}` becomes `/a/{b}`.
pub fn template(pattern: &str) -> String {
    let mut template = String::with_capacity(pattern.len());
    let mut is_expression = false;
    for c in pattern.chars() {
        is_expression = c != '}' && (is_expression || c == ':');
        if !is_expression {
            template.push(c);
        }
    }
    template
}

pub fn method(method: &Method) -> &'static str {
    let known = METHODS.into_iter().find(|known| *known == method.as_str());
    known.unwrap_or(OTHER)
}

type OfRoute = HashMap<(&'static str, u16), Histogram>;

thread_local! {
    /// The histograms in use. A lookup here allocates nothing, but a lookup in the recorder
    /// allocates several times.
    static HISTOGRAMS: RefCell<HashMap<String, OfRoute>> = RefCell::default();
}

fn measure(route: &str, method: &'static str, status: u16, elapsed: Duration) {
    HISTOGRAMS.with_borrow_mut(|histograms| {
        if let Some(known) = histograms
            .get(route)
            .and_then(|of_route| of_route.get(&(method, status)))
        {
            return known.record(elapsed);
        }
        let histogram = histogram!(
            REQUEST_SECONDS,
            "http_route" => route.to_owned(),
            "http_request_method" => method,
            "http_response_status_code" => status.to_string(),
        );
        histogram.record(elapsed);
        let of_route = histograms.entry(route.to_owned()).or_default();
        of_route.insert((method, status), histogram);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_have_no_expressions() {
        for (pattern, expect) in [
            ("/a", "/a"),
            ("/a/{b:[^/]*}", "/a/{b}"),
            ("/a/{b:.*}/c/{d}", "/a/{b}/c/{d}"),
        ] {
            assert_eq!(template(pattern), expect);
        }
    }

    #[test]
    fn a_client_cannot_make_a_series_of_its_own() {
        for (sent, expect) in [
            ("GET", "GET"),
            ("PATCH", "PATCH"),
            ("get", OTHER),
            ("BREW", OTHER),
        ] {
            let sent = Method::from_bytes(sent.as_bytes()).unwrap();
            assert_eq!(method(&sent), expect);
        }
    }
}
