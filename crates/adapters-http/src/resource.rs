//! Resources: their supported methods, and the identifier in their path.

use std::{convert::Infallible, future::ready};

use actix_web::{
    FromRequest, Handler, HttpRequest, HttpResponse, Resource, Responder, Route,
    dev::{AppService, HttpServiceFactory, Payload},
    http::{Method, Uri},
    web,
};

use crate::{answer::Answer, error::ApiError};

pub struct Methods {
    resource: Resource,
    /// The middleware around the route of each method, and around the answer 405.
    wrap: Box<dyn Fn(Route) -> Route>,
    allow: Vec<Method>,
    instead: &'static str,
}

pub fn open(path: &str) -> Methods {
    Methods::new(path, |route| route)
}

impl Methods {
    pub fn new(path: &str, wrap: impl Fn(Route) -> Route + 'static) -> Self {
        Self {
            resource: web::resource(path),
            wrap: Box::new(wrap),
            allow: Vec::new(),
            instead: "",
        }
    }

    pub fn get<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args> + Clone,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.on(Method::GET, handler.clone())
            .on(Method::HEAD, handler)
    }

    pub fn on<F, Args>(self, method: Method, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        let route = (self.wrap)(web::method(method.clone()).to(handler));
        self.add(method, route)
    }

    pub fn with<F, Args>(self, method: Method, wrap: impl Fn(Route) -> Route, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        let route = wrap(web::method(method.clone()).to(handler));
        self.add(method, route)
    }

    fn add(mut self, method: Method, route: Route) -> Self {
        self.allow.push(method);
        self.resource = self.resource.route(route);
        self
    }

    pub const fn instead(mut self, sentence: &'static str) -> Self {
        self.instead = sentence;
        self
    }

    pub fn build(self) -> Resource {
        let mut allow: Vec<_> = self.allow.iter().map(Method::as_str).collect();
        allow.sort_unstable();
        let (allow, instead) = (allow.join(", "), self.instead);
        let refuse = move || {
            let refused = ApiError::method_not_allowed(&allow, instead);
            ready(Err::<HttpResponse, _>(refused))
        };
        self.resource.default_service((self.wrap)(web::to(refuse)))
    }
}

impl HttpServiceFactory for Methods {
    fn register(self, config: &mut AppService) {
        self.build().register(config);
    }
}

pub async fn no_such_path() -> Answer {
    Err(ApiError::no_such_path())
}

/// The path segment that has `BEHIND` segments after it. It is still percent-encoded, because `%2F`
/// and a slash look the same in a decoded path.
pub struct Segment<const BEHIND: usize = 0>(Uri);

impl<const BEHIND: usize> FromRequest for Segment<BEHIND> {
    type Error = Infallible;
    type Future = std::future::Ready<Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(request.uri().clone())))
    }
}

impl<const BEHIND: usize> Segment<BEHIND> {
    pub fn sent(&self) -> &str {
        let mut segments = self.0.path().rsplit('/');
        segments.nth(BEHIND).unwrap_or_default()
    }

    /// Returns the segment. Refuses it if a percent sign begins no escape, because `%zz` and
    /// `%25zz` would otherwise be the same identifier.
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
