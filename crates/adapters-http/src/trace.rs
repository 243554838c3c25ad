use actix_web::{HttpMessage as _, dev::ServiceRequest, http::StatusCode, web};
use kernel::trace::{NewSpan, Span, SpanRole, TraceParent};

use crate::state::State;

const TRACEPARENT: &str = "traceparent";

pub struct RequestSpan {
    span: Box<dyn Span>,
    method: &'static str,
}

impl RequestSpan {
    /// Starts a request's span, in the client's trace if it has one. `None` if traces are off.
    pub fn start(request: &ServiceRequest, method: &'static str) -> Option<Self> {
        let state = request.app_data::<web::Data<State>>()?;
        let tracer = state.ports.tracer.as_ref()?;
        // By the specification, two headers count as none, like an unreadable header.
        let mut headers = request.headers().get_all(TRACEPARENT);
        let parent = match (headers.next(), headers.next()) {
            (Some(header), None) => header.to_str().ok(),
            _ => None,
        };
        let mut span = tracer.start(NewSpan {
            name: method,
            role: SpanRole::Server,
            parent: parent.and_then(|text| text.trim().parse().ok()),
            links: &[],
        });
        span.set("http.request.method", method);
        if let Some(context) = span.context() {
            request.extensions_mut().insert::<TraceParent>(context);
        }
        Some(Self { span, method })
    }

    pub fn trace_id(&self) -> Option<String> {
        let context = self.span.context()?;
        Some(format!("{:032x}", context.trace()))
    }

    pub fn end(mut self, route: Option<&str>, status: StatusCode, request_id: &str) {
        if let Some(route) = route {
            self.span.rename(&format!("{} {route}", self.method));
            self.span.set("http.route", route);
        }
        let code = status.as_u16();
        self.span.count("http.response.status_code", code.into());
        self.span.set("posthaste.request_id", request_id);
        if status.is_server_error() {
            self.span
                .fail(status.canonical_reason().unwrap_or_default());
        }
    }
}
