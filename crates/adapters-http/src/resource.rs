//! Resources: their methods, and the check of the client before anything else.
//!
//! Each route checks the token, the limit and the scopes before its handler asks for anything, and
//! methods that a resource does not support are refused behind the same check, so that a client
//! without a token learns nothing.

use std::future::ready;

use access::Scope;
use actix_web::{
    Error, FromRequest, Handler, HttpMessage as _, HttpRequest, HttpResponse, Resource, Responder,
    Route,
    body::BoxBody,
    dev::{Payload, ServiceRequest, ServiceResponse},
    http::{Method, Uri},
    middleware::{Next, from_fn},
    web,
};
use kernel::Prefixes;

use crate::{
    error::ApiError,
    oauth::{AuthError, Authorization, Authorizer, Caller, RequestContext},
};

/// A resource under construction.
pub struct Methods {
    resource: Resource,
    /// The scopes of which a client needs one, unless a method has others; `None` if anybody may.
    scopes: Option<&'static [Scope]>,
    allow: Vec<String>,
}

/// How the limit of a client is counted.
#[derive(Clone, Copy)]
enum Counting {
    /// A request past the limit is refused.
    AtOnce,
    /// The handler of an import counts, and waits until the limit permits it.
    Later,
}

/// A resource that anybody may use.
pub fn open(path: &str) -> Methods {
    Methods {
        resource: web::resource(path),
        scopes: None,
        allow: Vec::new(),
    }
}

/// A resource for clients with one of these scopes.
pub fn protected(path: &str, scopes: &'static [Scope]) -> Methods {
    Methods {
        scopes: Some(scopes),
        ..open(path)
    }
}

impl Methods {
    /// Answers `GET` and `HEAD`.
    pub fn get<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args> + Clone,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.on(Method::GET, handler.clone())
            .on(Method::HEAD, handler)
    }

    /// Answers a method.
    pub fn on<F, Args>(self, method: Method, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        let scopes = self.scopes;
        self.route(method, scopes, Counting::AtOnce, handler)
    }

    /// Answers a method, for clients with one of these scopes.
    pub fn with<F, Args>(self, method: Method, scopes: &'static [Scope], handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.route(method, Some(scopes), Counting::AtOnce, handler)
    }

    /// Answers a method with an import, for clients with one of these scopes.
    pub fn import<F, Args>(self, method: Method, scopes: &'static [Scope], handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.route(method, Some(scopes), Counting::Later, handler)
    }

    fn route<F, Args>(
        mut self,
        method: Method,
        scopes: Option<&'static [Scope]>,
        counting: Counting,
        handler: F,
    ) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.allow.push(method.to_string());
        let route = guarded(web::method(method).to(handler), scopes, counting);
        self.resource = self.resource.route(route);
        self
    }

    /// The resource, which refuses all other methods.
    pub fn build(mut self) -> Resource {
        self.allow.sort_unstable();
        let allow = self.allow.join(", ");
        let refuse = move || {
            let refused = ApiError::method_not_allowed(&allow);
            ready(Err::<HttpResponse, _>(refused))
        };
        let others = guarded(web::to(refuse), self.scopes, Counting::AtOnce);
        self.resource.default_service(others)
    }
}

/// A route that is only for clients with one of these scopes.
fn guarded(route: Route, scopes: Option<&'static [Scope]>, counting: Counting) -> Route {
    match scopes {
        Some(scopes) => route.wrap(from_fn(move |request, next| {
            authorize(request, next, scopes, counting)
        })),
        None => route,
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
    type Future = std::future::Ready<Result<Self, ApiError>>;

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

/// The last segment of the path, still percent-encoded, because a decoded path cannot distinguish
/// `%2F` from a slash. In a matched route it is the identifier of the resource.
pub struct Segment(Uri);

impl FromRequest for Segment {
    type Error = std::convert::Infallible;
    type Future = std::future::Ready<Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(request.uri().clone())))
    }
}

impl Segment {
    /// The segment as it was sent.
    pub fn sent(&self) -> &str {
        self.0.path().rsplit('/').next().unwrap_or_default()
    }

    /// The segment, unless a percent sign in it begins no escape: taken literally, `%zz` and `%25zz`
    /// would be the same identifier.
    pub fn read(&self) -> Result<&str, ApiError> {
        let segment = self.sent();
        let is_escape = |piece: &str| {
            let digits = piece.as_bytes().get(..2);
            digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        };
        if segment.split('%').skip(1).all(is_escape) {
            Ok(segment)
        } else {
            Err(ApiError::bad_request(
                "A percent sign in the path must begin an escape of two hexadecimal digits; a \
                 percent sign itself is written %25.",
            ))
        }
    }
}
