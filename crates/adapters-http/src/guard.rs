//! The check of the client, before anything else.
//!
//! Each route of a protected resource checks the token, the limit and the scopes before its handler
//! asks for anything, and methods that it does not support are refused behind the same check, so
//! that a client without a token learns nothing.

use std::future::{Ready, ready};

use access::Scope;
use actix_web::{
    Error, FromRequest, HttpMessage as _, HttpRequest, Route,
    body::BoxBody,
    dev::{Payload, ServiceRequest, ServiceResponse},
    middleware::{Next, from_fn},
    web,
};
use kernel::Prefixes;

use crate::{
    error::ApiError,
    oauth::{AuthError, Authorization, Authorizer, Caller, RequestContext},
    resource::Methods,
};

/// How the limit of a client is counted.
#[derive(Clone, Copy)]
enum Counting {
    /// A request past the limit is refused.
    AtOnce,
    /// The handler of an import counts, and waits until the limit permits it.
    Later,
}

/// A resource for clients with one of these scopes.
pub fn protected(path: &str, scopes: &'static [Scope]) -> Methods {
    Methods::new(path, clients(scopes))
}

/// Lets clients with one of these scopes through to a route.
pub fn clients(scopes: &'static [Scope]) -> impl Fn(Route) -> Route {
    guard(scopes, Counting::AtOnce)
}

/// Lets clients with one of these scopes through to a route of imports.
pub fn importers(scopes: &'static [Scope]) -> impl Fn(Route) -> Route {
    guard(scopes, Counting::Later)
}

fn guard(scopes: &'static [Scope], counting: Counting) -> impl Fn(Route) -> Route {
    move |route| {
        route.wrap(from_fn(move |request, next| {
            authorize(request, next, scopes, counting)
        }))
    }
}

/// Checks the token, the limit and the scopes of a request, which counts as one of its client's.
async fn authorize(
    request: ServiceRequest,
    next: Next<BoxBody>,
    scopes: &'static [Scope],
    counting: Counting,
) -> Result<ServiceResponse, Error> {
    let caller = match request.app_data::<web::Data<Authorizer>>() {
        Some(authorizer) => check(&request, authorizer, scopes, counting).await,
        None => Err(ApiError::internal(&"there is no authorizer")),
    };
    match caller {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.call(request).await
        }
        Err(refused) => Ok(request.error_response(refused)),
    }
}

async fn check(
    request: &ServiceRequest,
    authorizer: &Authorizer,
    scopes: &[Scope],
    counting: Counting,
) -> Result<Caller, ApiError> {
    let (headers, request) = (request.headers(), request.request());
    match counting {
        Counting::AtOnce => {
            let Authorization {
                client,
                caller,
                usage,
            } = authorizer.authorize(headers, scopes).await;
            RequestContext::set_usage(request, usage);
            if let Some(client) = client {
                RequestContext::set_client(request, client);
            }
            Ok(caller?)
        }
        Counting::Later => {
            let caller = authorizer.authorize_import(headers, scopes).await?;
            RequestContext::set_client(request, caller.id());
            Ok(caller)
        }
    }
}

/// The client that was found by the check of its route.
impl FromRequest for Caller {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let caller = request.extensions().get().cloned();
        ready(caller.ok_or_else(|| ApiError::internal(&"the route checks no client")))
    }
}

/// The access of a request that takes long, which is checked again while it does.
#[derive(Clone)]
pub struct Access {
    authorizer: web::Data<Authorizer>,
    caller: Caller,
    scopes: &'static [Scope],
}

impl Access {
    /// The access of a client that was found to have one of these scopes.
    pub fn new(
        authorizer: &web::Data<Authorizer>,
        caller: Caller,
        scopes: &'static [Scope],
    ) -> Self {
        Self {
            authorizer: web::Data::clone(authorizer),
            caller,
            scopes,
        }
    }

    /// The prefixes that the client has now, or the reason why it has no access any more.
    pub async fn prefixes(&self) -> Result<Prefixes, AuthError> {
        let again = self.authorizer.authorize_again(&self.caller, self.scopes);
        Ok(again.await?.prefixes().clone())
    }
}
