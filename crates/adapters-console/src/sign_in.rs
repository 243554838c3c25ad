//! `/sign-in`: a link shows a page with a button, because scanners follow links; the button signs
//! in. And signing out.

use access::sign_in::{
    Admission, Operators, SignInTokenKind, SignInTokens, admitted, sign_in, sign_out, token_digest,
};
use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{LOCATION, SET_COOKIE},
    },
    web,
};
use askama::Template;
use kernel::Actor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::{Answer, Failure},
    form::{self, Form},
    page,
    query::Query,
    session::{self, Named, SIGN_IN_PATH, Session, SignedIn},
    state::{Site, State},
};

/// The parameter of a link.
pub const LINK_PARAMETER: &str = "link";
pub const SIGN_OUT_PATH: &str = "/sign-out";
/// Where people are let in, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Operators by a link of the command line.
    Operators,
    /// Operators by a proxy.
    Proxy,
    /// The people of a client by a link.
    Client,
}

#[derive(Template)]
#[template(path = "sign_in.html")]
struct Page<'a> {
    head: page::Head,
    way: Way,
    /// Whom the link signs in, and its token.
    link: Option<(&'a str, &'a str)>,
    problem: Option<&'static str>,
}

/// The way in to a site.
pub struct Door<'a, A> {
    pub site: &'a Site,
    pub way: Way,
    pub tokens: &'a dyn SignInTokens,
    pub admission: A,
    pub now: OffsetDateTime,
}

impl<A: Admission<Who: Named>> Door<'_, A> {
    /// Answers a request for the page to sign in.
    pub async fn answer(&self, request: &HttpRequest, payload: web::Payload) -> HttpResponse {
        let answer = match *request.method() {
            Method::GET | Method::HEAD => self.ask(request).await,
            Method::POST => self.enter(request, payload).await,
            _ => Err(Failure::Method("GET, HEAD, POST")),
        };
        page::guarded(answer, self.site.place)
    }

    /// Shows who would be signed in. Changes nothing.
    async fn ask(&self, request: &HttpRequest) -> Answer {
        let query = Query::of(request);
        let Some(token) = query.get(LINK_PARAMETER) else {
            return self.show(None, None, 200);
        };
        let (kind, digest) = (SignInTokenKind::Link, self.digest(token)?);
        match admitted(self.tokens, &self.admission, kind, &digest, self.now).await? {
            Some(who) => self.show(Some((who.name(), token)), None, 200),
            None => self.refuse(),
        }
    }

    /// Signs in, and leads to the first page.
    async fn enter(&self, request: &HttpRequest, payload: web::Payload) -> Answer {
        form::refuse_other_sites(request, self.site)?;
        let form = Form::receive(payload).await?;
        let link = self.digest(form.get(LINK_PARAMETER).unwrap_or_default())?;
        let (token, entry) = (session::new_token(), Uuid::now_v7());
        let digest = token_digest(&token);
        let entered = sign_in(self.tokens, &self.admission, &link, digest, entry, self.now);
        let Some(who) = entered.await? else {
            return self.refuse();
        };
        tracing::info!(
            who = who.name(),
            place = self.site.place.cookie,
            "signed in"
        );
        Ok(HttpResponse::SeeOther()
            .insert_header((LOCATION, self.site.place.home()))
            .insert_header((SET_COOKIE, session::set_cookie(self.site, &token)?))
            .finish())
    }

    /// Signs out, and leads to the page to sign in.
    pub async fn leave(
        &self,
        request: &HttpRequest,
        payload: web::Payload,
        session: &Session,
        holder: &Actor,
    ) -> Answer {
        Form::of_session(request, payload, self.site, session).await?;
        let (digest, entry) = (&session.digest, Uuid::now_v7());
        sign_out::<A>(self.tokens, digest, holder, entry, self.now).await?;
        tracing::info!(%holder, place = self.site.place.cookie, "signed out");
        let path = format!("{}{SIGN_IN_PATH}", self.site.place.base);
        Ok(HttpResponse::SeeOther()
            .insert_header((LOCATION, path))
            .insert_header((SET_COOKIE, session::clear_cookie(self.site)?))
            .finish())
    }

    /// The digest of a link's token, unless too many wrong ones came before.
    fn digest(&self, token: &str) -> Result<[u8; 32], Failure> {
        self.site.guesses.count(0, self.now)?;
        Ok(token_digest(token))
    }

    fn refuse(&self) -> Answer {
        self.site.guesses.count(1, self.now)?;
        let problem = match self.way {
            Way::Client => {
                "This link is not valid: it has been used, is older than a day, was not copied as \
                 a whole, or is of a client that has ended its tokens since."
            }
            _ => {
                "This link is not valid: it has been used, is older than fifteen minutes, or was \
                 not copied as a whole."
            }
        };
        self.show(None, Some(problem), 410)
    }

    /// The page to sign in.
    pub fn show(
        &self,
        link: Option<(&str, &str)>,
        problem: Option<&'static str>,
        status: u16,
    ) -> Answer {
        let page = Page {
            head: page::Head::at(self.site.place, "Sign in"),
            way: self.way,
            link,
            problem,
        };
        page::answer(&page, status)
    }
}

/// Adds the routes of the console.
pub fn routes(config: &mut web::ServiceConfig) {
    config.service(web::resource(SIGN_IN_PATH).to(handle));
    config.service(
        web::resource(SIGN_OUT_PATH)
            .wrap(actix_web::middleware::from_fn(session::require))
            .route(web::post().to(leave))
            .default_service(web::to(crate::error::not_found)),
    );
}

fn door(state: &State) -> Door<'_, Operators> {
    Door {
        site: &state.site,
        way: if state.proxy.is_some() {
            Way::Proxy
        } else {
            Way::Operators
        },
        tokens: &*state.ports.sign_in_tokens,
        admission: Operators,
        now: state.now(),
    }
}

async fn handle(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> HttpResponse {
    door(&state).answer(&request, payload).await
}

async fn leave(request: HttpRequest, payload: web::Payload, state: web::Data<State>) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let holder = Actor::Operator(Some(signed_in.who));
    let door = door(&state);
    door.leave(&request, payload, &signed_in.session, &holder)
        .await
}
