use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io,
    net::Ipv4Addr,
    sync::{Arc, Mutex},
};

use http_body_util::Empty;
use hyper::{Request, Response, body::Bytes};
use kernel::trace::TraceParent;
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{KeyValue, any_value},
    trace::v1,
};
use prost::Message as _;

use super::stand_in;

#[derive(Clone, Debug)]
pub struct Span {
    pub name: String,
    pub trace: String,
    pub id: String,
    pub parent: String,
    pub links: Vec<String>,
    pub attributes: BTreeMap<String, String>,
    pub resource: BTreeMap<String, String>,
}

pub struct Collector {
    spans: Arc<Mutex<Vec<Span>>>,
    server: stand_in::Server,
}

impl Collector {
    pub fn start() -> Self {
        let spans: Arc<Mutex<Vec<Span>>> = Arc::default();
        let kept = Arc::clone(&spans);
        let listener = stand_in::Server::listen((Ipv4Addr::LOCALHOST, 0));
        let server = stand_in::Server::start(listener, move |request| {
            kept.lock().unwrap().extend(read(&request));
            async { Ok::<_, io::Error>(Response::new(Empty::<Bytes>::new())) }
        });
        Self { spans, server }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.server.address())
    }

    pub fn of(&self, trace: TraceParent) -> Vec<Span> {
        let id = format!("{:032x}", trace.trace());
        let spans = self.spans.lock().unwrap();
        spans
            .iter()
            .filter(|span| span.trace == id)
            .cloned()
            .collect()
    }
}

fn read(request: &Request<Bytes>) -> Vec<Span> {
    assert_eq!(request.uri().path(), "/v1/traces");
    assert_eq!(request.headers()["content-type"], "application/x-protobuf");
    assert_eq!(request.headers()["x-team"], "jobs board");
    let export = ExportTraceServiceRequest::decode(request.body().clone()).unwrap();
    let mut spans = Vec::new();
    for of_resource in export.resource_spans {
        let resource = of_resource.resource.unwrap_or_default();
        let resource = attributes(resource.attributes);
        for span in of_resource.scope_spans.into_iter().flat_map(|it| it.spans) {
            spans.push(as_read(span, resource.clone()));
        }
    }
    spans
}

fn as_read(span: v1::Span, resource: BTreeMap<String, String>) -> Span {
    Span {
        name: span.name,
        trace: hex(&span.trace_id),
        id: hex(&span.span_id),
        parent: hex(&span.parent_span_id),
        links: span.links.iter().map(|link| hex(&link.span_id)).collect(),
        attributes: attributes(span.attributes),
        resource,
    }
}

fn attributes(attributes: Vec<KeyValue>) -> BTreeMap<String, String> {
    let text = |value| match value {
        Some(any_value::Value::StringValue(text)) => text,
        Some(any_value::Value::IntValue(number)) => number.to_string(),
        other => format!("{other:?}"),
    };
    let attributes = attributes.into_iter();
    attributes
        .map(|it| (it.key, text(it.value.and_then(|value| value.value))))
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
