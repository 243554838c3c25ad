//! Authorisation and refusals that all resources of the API share.
//!
//! Each resource checks the token before anything else, even the method, so that a client without a
//! token learns nothing. This is why each has one handler for all methods.

use access::Scope;
use actix_web::{HttpRequest, HttpResponse, Resource, dev::Payload, web};
use kernel::Prefixes;

use crate::{
    error::ApiError,
    oauth::{AuthError, Authorization, Authorizer, Caller, RequestContext},
    state::State,
};

/// A resource with one handler for all methods.
pub fn resource<H>(path: &str, handle: H) -> Resource
where
    H: AsyncFn(&HttpRequest, &mut Payload, &State) -> Result<HttpResponse, ApiError>
        + Clone
        + 'static,
{
    let answer = move |request: HttpRequest, payload: web::Payload, state: web::Data<State>| {
        let handle = handle.clone();
        async move {
            let mut payload = payload.into_inner();
            handle(&request, &mut payload, &state).await
        }
    };
    web::resource(path).to(answer)
}

/// A resource that does one thing, for the methods of its header `Allow`, and reads no body.
pub fn bodiless<H>(path: &str, scopes: &'static [Scope], allow: &'static str, handle: H) -> Resource
where
    H: AsyncFn(&HttpRequest, &State) -> Result<HttpResponse, ApiError> + Clone + 'static,
{
    resource(
        path,
        async move |request: &HttpRequest, _: &mut Payload, state: &State| {
            let method = request.method().as_str();
            if allow.split(", ").any(|allowed| allowed == method) {
                handle(request, state).await
            } else {
                refuse_method(request, state, scopes, allow).await
            }
        },
    )
}

/// Checks the client's token, its limit, and that it has one of the scopes. Called once for each
/// request, because each call counts as one.
pub async fn authorize(
    request: &HttpRequest,
    state: &State,
    scopes: &[Scope],
) -> Result<Caller, ApiError> {
    let checked = state.authorizer.authorize(request.headers(), scopes);
    let Authorization {
        client,
        caller,
        usage,
    } = checked.await;
    RequestContext::set_usage(request, usage);
    if let Some(client) = client {
        RequestContext::set_client(request, client);
    }
    Ok(caller?)
}

/// Checks the client of an import like [`authorize`], but for its limit: instead of being refused,
/// an import waits until the limit permits it.
pub async fn authorize_import(
    request: &HttpRequest,
    state: &State,
    scopes: &[Scope],
) -> Result<Caller, ApiError> {
    let caller = state.authorizer.authorize_import(request.headers(), scopes);
    let caller = caller.await?;
    RequestContext::set_client(request, caller.id());
    Ok(caller)
}

/// The access of a request that takes long, which is checked again while it does.
#[derive(Clone)]
pub struct Access {
    authorizer: web::Data<Authorizer>,
    caller: Caller,
    scopes: &'static [Scope],
}

impl Access {
    /// The access of a request that was [authorized](authorize).
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

/// Refuses a method that the resource does not support.
pub async fn refuse_method(
    request: &HttpRequest,
    state: &State,
    scopes: &[Scope],
    allow: &'static str,
) -> Result<HttpResponse, ApiError> {
    authorize(request, state, scopes).await?;
    Err(ApiError::method_not_allowed(allow))
}

/// The last segment of the path, still percent-encoded, because a decoded path cannot distinguish
/// `%2F` from a slash. In a matched route it is the identifier of the resource.
///
/// A percent sign that begins no escape is refused: taken literally, `%zz` and `%25zz` would be the
/// same identifier.
pub fn last_segment(request: &HttpRequest) -> Result<&str, ApiError> {
    let segment = request.uri().path().rsplit('/').next().unwrap_or_default();
    if is_well_escaped(segment) {
        Ok(segment)
    } else {
        Err(ApiError::bad_request(
            "A percent sign in the path must begin an escape of two hexadecimal digits; a percent \
             sign itself is written %25.",
        ))
    }
}

fn is_well_escaped(segment: &str) -> bool {
    segment.split('%').skip(1).all(|piece| {
        let digits = piece.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}
