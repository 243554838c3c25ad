//! The pages of clients: another adapter has them, and this one its listener.

use std::sync::Arc;

use access::{Client, ClientError};
use actix_web::{
    Error, ResponseError as _,
    body::BoxBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::{Next, from_fn},
    web,
};
use async_trait::async_trait;
use http_server::Connection;
use time::OffsetDateTime;
use tokio::sync::Semaphore;

use crate::{error::ApiError, host::Hosts};

/// The path that all of them begin with.
const PATH: &str = "/integration";
/// The pages that each thread makes at a time: anybody may ask for one, and pushes go before.
const AT_ONCE: usize = 8;

/// Adds the routes of pages, without the path that all of them begin with.
pub type PageRoutes = Arc<dyn Fn(&mut web::ServiceConfig) + Send + Sync>;

/// The pages on which people see what became of the postings of their client.
#[async_trait]
pub trait ClientPages: Send + Sync {
    /// Their routes, which belong below `/integration` at this URL.
    fn routes(&self, public_url: &str) -> PageRoutes;

    /// Makes a link of a client that signs in to them once, and says when it ends.
    async fn link(
        &self,
        client: &Client,
        public_url: &str,
    ) -> Result<(String, OffsetDateTime), ClientError>;
}

/// Adds the pages, which answer to the name of their URL alone.
pub fn mount(config: &mut web::ServiceConfig, routes: &PageRoutes, hosts: &Arc<Hosts>) {
    let (hosts, places) = (Arc::clone(hosts), Arc::new(Semaphore::new(AT_ONCE)));
    let scope = web::scope(PATH)
        .configure(|config| routes(config))
        .wrap(from_fn(move |request, next| {
            admit(request, next, Arc::clone(&hosts), Arc::clone(&places))
        }));
    config.service(scope);
}

async fn admit(
    request: ServiceRequest,
    next: Next<BoxBody>,
    hosts: Arc<Hosts>,
    places: Arc<Semaphore>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    if !hosts.allow(request.headers()) {
        return Ok(request.into_response(ApiError::misdirected().error_response()));
    }
    let Ok(_place) = places.try_acquire() else {
        return Ok(request.into_response(ApiError::busy().error_response()));
    };
    if let Some(connection) = Connection::of(request.request()) {
        connection.ask_for_body();
    }
    next.call(request).await
}
