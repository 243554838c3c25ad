use std::time::Duration;

use kernel::trace::{NewSpan, Span, SpanRole, TraceParent, Tracer};
use opentelemetry::{
    Context, KeyValue, SpanId, TraceFlags, TraceId,
    trace::{
        Link, Span as _, SpanContext, SpanKind, Status, TraceContextExt as _, TraceState,
        Tracer as _, TracerProvider as _,
    },
};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::{
    Resource,
    trace::{SdkTracer, SdkTracerProvider},
};

use crate::{client::CollectorClient, settings::Settings};

/// Sends spans in batches from its own thread.
#[derive(Debug)]
pub struct OtlpTracer {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot create the HTTP client of the trace collector: {0}")]
    Client(#[from] reqwest::Error),
    #[error("cannot create the trace exporter: {0}")]
    Exporter(#[from] opentelemetry_otlp::ExporterBuildError),
}

impl OtlpTracer {
    /// The environment sets the sampler, resource, endpoint and headers. `service` is the default
    /// name. Must run on a tokio runtime.
    pub fn start(settings: &Settings, service: &'static str) -> Result<Self, StartError> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(settings.timeout)
            .with_http_client(CollectorClient::new(settings)?)
            .build()?;
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource(service))
            .build();
        Ok(Self {
            tracer: provider.tracer("posthaste"),
            provider,
        })
    }

    /// Sends the remaining spans. Blocks for at most `within`.
    pub fn stop(&self, within: Duration) {
        // The client has logged the failure.
        _ = self.provider.shutdown_with_timeout(within);
    }
}

impl Tracer for OtlpTracer {
    fn start(&self, span: NewSpan<'_>) -> Box<dyn Span> {
        let parent = match span.parent {
            Some(parent) => Context::new().with_remote_span_context(context(parent)),
            None => Context::new(),
        };
        let kind = match span.role {
            SpanRole::Server => SpanKind::Server,
            SpanRole::Client => SpanKind::Client,
            SpanRole::Consumer => SpanKind::Consumer,
            SpanRole::Internal => SpanKind::Internal,
        };
        let links = span.links.iter().copied();
        let links = links.map(|link| Link::with_context(context(link)));
        let builder = self
            .tracer
            .span_builder(span.name.to_owned())
            .with_kind(kind)
            .with_links(links.collect());
        Box::new(Recorded(self.tracer.build_with_context(builder, &parent)))
    }
}

/// If the environment sets a service name, that name is used instead of `service`.
fn resource(service: &'static str) -> Resource {
    let name = Resource::builder().build().get(&"service.name".into());
    let is_named = name.is_some_and(|name| !name.as_str().starts_with("unknown_service"));
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let builder = Resource::builder().with_attribute(version);
    if is_named {
        builder.build()
    } else {
        builder.with_service_name(service).build()
    }
}

struct Recorded(opentelemetry_sdk::trace::Span);

impl Span for Recorded {
    fn context(&self) -> Option<TraceParent> {
        let context = self.0.span_context();
        let trace = u128::from_be_bytes(context.trace_id().to_bytes());
        let span = u64::from_be_bytes(context.span_id().to_bytes());
        TraceParent::new(trace, span, context.is_sampled())
    }

    fn rename(&mut self, name: &str) {
        self.0.update_name(name.to_owned());
    }

    fn set(&mut self, attribute: &'static str, value: &str) {
        if self.0.is_recording() {
            self.0
                .set_attribute(KeyValue::new(attribute, value.to_owned()));
        }
    }

    fn count(&mut self, attribute: &'static str, value: i64) {
        self.0.set_attribute(KeyValue::new(attribute, value));
    }

    fn fail(&mut self, why: &str) {
        self.0.set_status(Status::error(why.to_owned()));
    }
}

fn context(parent: TraceParent) -> SpanContext {
    let flags = if parent.is_sampled() {
        TraceFlags::SAMPLED
    } else {
        TraceFlags::default()
    };
    SpanContext::new(
        TraceId::from(parent.trace()),
        SpanId::from(parent.span()),
        flags,
        true,
        TraceState::NONE,
    )
}
