//! Checks the client before all else.
//!
//! Each protected route checks the token, the limit and the scopes before its handler reads
//! anything. Unsupported methods have the same check, so a client without a token learns nothing.

use std::future::{Ready, ready};

use access::Scope;
use actix_web::{
    Error, FromRequest, HttpMessage as _, HttpRequest, Route,
    body::BoxBody,
    dev::{Payload, ServiceRequest, ServiceResponse},
    middleware::{Next, from_fn},
    web,
};

use crate::{
    answer::Answer,
    context::RequestContext,
    error::ApiError,
    oauth::{AuthError, Authorizer, Caller},
    resource::Methods,
};

pub fn protected(path: &str, scopes: &'static [Scope]) -> Methods {
    Methods::new(path, clients(scopes))
}

/// Admits clients with one of these scopes, and refuses requests above the limit.
pub fn clients(scopes: &'static [Scope]) -> impl Fn(Route) -> Route {
    guard(scopes, true)
}

/// Admits clients with one of these scopes to imports. The handler itself counts the request, and
/// waits until the limit allows it.
pub fn importers(scopes: &'static [Scope]) -> impl Fn(Route) -> Route {
    guard(scopes, false)
}

fn guard(scopes: &'static [Scope], counts: bool) -> impl Fn(Route) -> Route {
    move |route| {
        route.wrap(from_fn(move |request, next| {
            authorize(request, next, scopes, counts)
        }))
    }
}

async fn authorize(
    request: ServiceRequest,
    next: Next<BoxBody>,
    scopes: &'static [Scope],
    counts: bool,
) -> Result<ServiceResponse, Error> {
    let Some(authorizer) = request.app_data::<web::Data<Authorizer>>() else {
        let missing = ApiError::internal(&"there is no authorizer");
        return Ok(request.error_response(missing));
    };
    let notice = |client, usage| RequestContext::set(request.request(), client, usage);
    let checked = authorizer.authorize(request.headers(), scopes, counts, notice);
    match checked.await {
        Ok(caller) => {
            if let Err(refused) = RequestContext::admit(request.request(), caller.shares()) {
                return Ok(request.error_response(refused));
            }
            request.extensions_mut().insert(caller);
            next.call(request).await
        }
        Err(refused) => Ok(request.error_response(ApiError::from(refused))),
    }
}

/// Refuses a path that does not exist. With a valid token the request counts, so that every answer
/// to a client tells its limit.
pub async fn nowhere(request: &HttpRequest, refusal: ApiError) -> Answer {
    if let Some(authorizer) = request.app_data::<web::Data<Authorizer>>() {
        let notice = |client, usage| RequestContext::set(request, client, usage);
        let checked = authorizer.authorize(request.headers(), &[], true, notice);
        if let Err(limited @ AuthError::Limited { .. }) = checked.await {
            return Err(limited.into());
        }
    }
    Err(refusal)
}

impl FromRequest for Caller {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let caller = request.extensions().get().cloned();
        ready(caller.ok_or_else(|| ApiError::internal(&"the route checks no client")))
    }
}
