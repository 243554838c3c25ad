//! Signed-in visitors: by session cookie, or named by a trusted proxy.
//!
//! Behind a proxy every request names its operator by the proxy's header and secret, and cookies
//! are ignored. Such a session is computed and not stored.

use std::{any::Any, iter, rc::Rc};

use access::{
    Client, Gate, Share,
    sign_in::{Admission, Operators, SignInTokenKind, TokenDigest, admitted, token_digest},
};
use actix_web::{
    Error, HttpMessage as _, HttpRequest, HttpResponse,
    body::BoxBody,
    cookie::{Cookie, SameSite},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method,
        header::{COOKIE, HeaderMap, LOCATION},
    },
    middleware::Next,
    web,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use kernel::{Actor, Operator};
use ring::hmac;
use secrecy::ExposeSecret as _;
use subtle::ConstantTimeEq as _;
use time::{Duration, OffsetDateTime};

use crate::{
    error::{Answer, Failure},
    form,
    page::{self, Place},
    state::{Site, State, TrustedProxy},
};

pub const SIGN_IN_PATH: &str = "/sign-in";
const TOKEN_LENGTH: usize = 43;
/// How long a browser keeps the cookie. The stored session decides.
const MAX_AGE: Duration = Duration::hours(12);
const PROXY_SECRET: &str = "posthaste-proxy-secret";
/// How long a proxied operator's forms have the same token, in seconds. The token stays valid for
/// another period; both periods are together no longer than a session.
const TOKEN_PERIOD: i64 = 6 * 60 * 60;
/// A form token is the MAC of this text. The key is the session's token.
const FORM: &str = "form";

#[derive(Clone, Debug)]
pub enum Holder {
    Operator(Operator),
    Client(Box<Client>),
}

impl Holder {
    pub fn name(&self) -> &str {
        match self {
            Self::Operator(operator) => operator.as_str(),
            Self::Client(client) => &client.name,
        }
    }

    pub fn actor(&self) -> Actor {
        match self {
            Self::Operator(operator) => Actor::Operator(Some(operator.clone())),
            Self::Client(client) => Actor::Client(client.id),
        }
    }
}

impl From<Operator> for Holder {
    fn from(operator: Operator) -> Self {
        Self::Operator(operator)
    }
}

impl From<Client> for Holder {
    fn from(client: Client) -> Self {
        Self::Client(Box::new(client))
    }
}

#[derive(Clone, Debug)]
pub struct Session {
    pub holder: Holder,
    pub digest: TokenDigest,
    /// The token that shows that a form comes from a page of this session.
    pub form_token: String,
    last_form_token: Option<String>,
}

impl Session {
    fn new(holder: Holder, token: &str) -> Self {
        Self {
            holder,
            digest: token_digest(token),
            form_token: form_token(token),
            last_form_token: None,
        }
    }

    fn proxied(operator: Operator, proxy: &TrustedProxy, now: OffsetDateTime) -> Self {
        let period = now.unix_timestamp() / TOKEN_PERIOD;
        let [token, last] = [period, period - 1].map(|period| {
            let secret = proxy.secret.expose_secret();
            mac(secret, &format!("{operator}\n{period}"))
        });
        Self {
            last_form_token: Some(form_token(&last)),
            ..Self::new(operator.into(), &token)
        }
    }

    pub fn of(request: &HttpRequest) -> Result<Self, Failure> {
        let extensions = request.extensions();
        extensions.get::<Self>().cloned().ok_or(Failure::Forbidden)
    }

    pub fn is_form_token(&self, token: &str) -> bool {
        let mut own = iter::once(&self.form_token).chain(&self.last_form_token);
        own.any(|own| bool::from(own.as_bytes().ct_eq(token.as_bytes())))
    }

    /// The MAC that shows that this session created an address.
    pub fn seal(&self, address: &str) -> String {
        mac(&self.form_token, address)
    }

    pub fn is_seal(&self, address: &str, seal: &str) -> bool {
        bool::from(self.seal(address).as_bytes().ct_eq(seal.as_bytes()))
    }
}

pub fn new_token() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

/// The token of a session's forms, which does not reveal the session's token.
fn form_token(session: &str) -> String {
    mac(session, FORM)
}

fn mac(key: &str, text: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes());
    URL_SAFE_NO_PAD.encode(hmac::sign(&key, text.as_bytes()))
}

pub fn gate(request: &HttpRequest) -> Result<Rc<dyn Gate>, Failure> {
    let gate = request.extensions().get::<Rc<dyn Gate>>().cloned();
    gate.ok_or_else(|| Failure::broken("the listener has no limits of clients"))
}

/// Counts a client session's request. Once its form has arrived, the request takes a place of the
/// client's share: a slow form takes none.
pub async fn take_place(
    request: &mut ServiceRequest,
    session: &Session,
) -> Result<Box<dyn Any>, Failure> {
    let Holder::Client(client) = &session.holder else {
        return Err(Failure::Forbidden);
    };
    let gate = gate(request.request())?;
    gate.count(client.id).await?;
    if request.method() == Method::POST {
        let body = form::body(request.take_payload()).await?;
        request.set_payload(body.into());
    }
    Ok(gate.take(client.id, Share::Page)?)
}

/// Admits requests with a session. Other requests are answered here.
pub async fn admit(
    request: ServiceRequest,
    next: Next<BoxBody>,
    place: &'static Place,
    found: Result<Option<Session>, Failure>,
    refuse: impl FnOnce() -> Answer,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let refused = match found {
        Ok(Some(session)) => {
            request.extensions_mut().insert(session);
            let mut response = next.call(request).await?;
            let error = response.response().error();
            if let Some(failure) = error.and_then(|error| error.as_error::<Failure>()).cloned() {
                return Ok(response.into_response(failure.page(place)));
            }
            page::guard(response.headers_mut());
            return Ok(response);
        }
        Ok(None) => refuse(),
        Err(failure) => Err(failure),
    };
    Ok(request.into_response(page::guarded(refused, place)))
}

pub async fn require_operator(
    site: web::Data<Site>,
    state: web::Data<State>,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let found = match &state.settings.proxy {
        Some(proxy) => by_proxy(request.request(), proxy)
            .map(|named| named.map(|operator| Session::proxied(operator, proxy, site.now()))),
        None => by_cookie(request.request(), &site, &Operators).await,
    };
    let refuse = || {
        let sign_in = (LOCATION, SIGN_IN_PATH);
        Ok(HttpResponse::SeeOther().insert_header(sign_in).finish())
    };
    admit(request, next, site.place, found, refuse).await
}

/// The operator named by the trusted proxy. The header is ignored in other requests.
fn by_proxy(request: &HttpRequest, proxy: &TrustedProxy) -> Result<Option<Operator>, Failure> {
    let peer = request.peer_addr().map(|peer| peer.ip().to_canonical());
    let is_proxy = peer.is_some_and(|peer| proxy.addresses.contains(&peer));
    if !is_proxy || !has_secret(request.headers(), proxy) {
        return Ok(None);
    }
    let mut values = request.headers().get_all(proxy.user_header.as_str());
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => {
            let name = value
                .to_str()
                .ok()
                .and_then(|name| Operator::new(name).ok());
            name.map(Some).ok_or(Failure::BadOperator)
        }
        // The proxy also forwards the browser's own header.
        _ => Err(Failure::BadOperator),
    }
}

/// Whether a request has exactly the proxy's secret.
fn has_secret(headers: &HeaderMap, proxy: &TrustedProxy) -> bool {
    let mut given = headers.get_all(PROXY_SECRET).peekable();
    let own = proxy.secret.expose_secret().as_bytes();
    given.peek().is_some() && given.all(|given| bool::from(given.as_bytes().ct_eq(own)))
}

/// The session of a request's cookie, if these pages admit its holder.
pub async fn by_cookie<A: Admission<Who: Into<Holder>>>(
    request: &HttpRequest,
    site: &Site,
    admission: &A,
) -> Result<Option<Session>, Failure> {
    let Some(token) = token_of(request.headers(), site) else {
        return Ok(None);
    };
    let found = site.find_token(&token).await?;
    let kind = SignInTokenKind::Session;
    let who = admitted(admission, kind, found.as_ref(), site.now()).await?;
    Ok(who.map(|who| Session::new(who.into(), &token)))
}

/// The cookie's name; over `https` with a prefix that browsers enforce.
fn cookie_name(site: &Site) -> String {
    let prefix = match (site.is_secure, site.place.base) {
        (false, _) => "",
        (true, "") => "__Host-",
        (true, _) => "__Secure-",
    };
    format!("{prefix}{}", site.place.cookie)
}

fn token_of(headers: &HeaderMap, site: &Site) -> Option<String> {
    let name = cookie_name(site);
    let lines = headers
        .get_all(COOKIE)
        .filter_map(|line| line.to_str().ok());
    let mut cookies = lines.flat_map(|line| line.split(';'));
    cookies.find_map(|cookie| {
        let (found, value) = cookie.trim().split_once('=')?;
        (found == name && value.len() == TOKEN_LENGTH).then(|| value.to_owned())
    })
}

pub fn cookie(site: &Site, token: String) -> Cookie<'static> {
    Cookie::build(cookie_name(site), token)
        .path(site.place.home())
        .max_age(MAX_AGE)
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(site.is_secure)
        .finish()
}

pub fn no_cookie(site: &Site) -> Cookie<'static> {
    let mut cookie = cookie(site, String::new());
    cookie.set_max_age(Duration::ZERO);
    cookie
}
