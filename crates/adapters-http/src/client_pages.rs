//! Adds the pages for clients to the API's listener. Another adapter implements these pages.

use std::{any::Any, rc::Rc, sync::Arc};

use access::{Crowded, Gate, Share};
use actix_web::{
    Error, HttpMessage as _, ResponseError as _,
    body::BoxBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::{Next, from_fn},
    web,
};
use async_trait::async_trait;
use http_server::Connection;
use kernel::ClientId;

use crate::{
    context::RequestContext, error::ApiError, host::Hosts, oauth::Authorizer, ports::PageRoutes,
    state::State,
};

const PATH: &str = "/integration";

pub fn mount(config: &mut web::ServiceConfig, routes: &PageRoutes, hosts: &Arc<Hosts>) {
    let hosts = Arc::clone(hosts);
    let scope = web::scope(PATH)
        .configure(|config| routes(config))
        .wrap(from_fn(move |request, next| {
            admit(request, next, Arc::clone(&hosts))
        }));
    config.service(scope);
}

async fn admit(
    request: ServiceRequest,
    next: Next<BoxBody>,
    hosts: Arc<Hosts>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    if !hosts.allow(request.headers()) {
        return Ok(request.into_response(ApiError::misdirected().error_response()));
    }
    let Some(gate) = ApiGate::of(&request) else {
        let missing = ApiError::internal(&"there is no authorizer");
        return Ok(request.into_response(missing.error_response()));
    };
    let gate: Rc<dyn Gate> = Rc::new(gate);
    request.extensions_mut().insert(gate);
    if let Some(connection) = Connection::of(request.request()) {
        connection.ask_for_body();
    }
    next.call(request).await
}

struct ApiGate {
    authorizer: web::Data<Authorizer>,
    state: web::Data<State>,
    context: RequestContext,
}

impl ApiGate {
    fn of(request: &ServiceRequest) -> Option<Self> {
        Some(Self {
            authorizer: request.app_data::<web::Data<Authorizer>>()?.clone(),
            state: request.app_data::<web::Data<State>>()?.clone(),
            context: request.extensions().get::<RequestContext>()?.clone(),
        })
    }
}

#[async_trait(?Send)]
impl Gate for ApiGate {
    async fn count(&self, client: ClientId) -> Result<(), Crowded> {
        let notice = |usage| self.context.note(client, usage);
        self.authorizer.count(client, notice).await
    }

    fn take(&self, client: ClientId, share: Share) -> Result<Box<dyn Any>, Crowded> {
        let slots = match share {
            Share::Page => &self.state.pages,
            Share::ReceiverCall => &self.state.receiver_calls,
        };
        Ok(Box::new(slots.claim(client)?))
    }
}
