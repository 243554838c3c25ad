//! `/sign-in`: a link shows a page with a button that signs in, because e-mail scanners follow
//! links. `/sign-out` is here, too.

use access::sign_in::{
    Admission, Operators, SignInTokenKind, admitted, sign_in, sign_out, token_digest,
};
use actix_web::{
    HttpRequest, HttpResponse,
    http::{Method, StatusCode, header::LOCATION},
    web,
};
use askama::Template;
use uuid::Uuid;

use crate::{
    error::{Answer, Failure},
    form::{self, Form},
    page,
    query::Query,
    session::{self, Holder, SIGN_IN_PATH},
    state::{Site, State},
    visit::{OperatorVisit, Visit},
};

pub const LINK_PARAMETER: &str = "link";
pub const SIGN_OUT_PATH: &str = "/sign-out";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Operators,
    Proxy,
    Client,
}

#[derive(Template)]
#[template(path = "sign_in.html")]
struct Page<'a> {
    head: page::Head,
    way: Way,
    /// The person whom the link signs in, and the link's token.
    link: Option<(&'a str, &'a str)>,
    problem: Option<&'static str>,
}

pub struct Door<'a, A> {
    pub site: &'a Site,
    pub way: Way,
    pub admission: A,
}

impl<A: Admission<Who: Into<Holder>>> Door<'_, A> {
    pub async fn answer(&self, request: &HttpRequest, payload: web::Payload) -> HttpResponse {
        let answer = match *request.method() {
            Method::GET | Method::HEAD => self.ask(request).await,
            Method::POST => self.enter(request, payload).await,
            _ => Err(Failure::Method("GET, HEAD, POST")),
        };
        page::guarded(answer, self.site.place)
    }

    async fn ask(&self, request: &HttpRequest) -> Answer {
        let query = Query::parse(request.query_string());
        let Some(token) = query.get(LINK_PARAMETER) else {
            return self.show(None, None, StatusCode::OK);
        };
        let found = self.site.find_token(token).await?;
        let (kind, now) = (SignInTokenKind::Link, self.site.now());
        match admitted(&self.admission, kind, found.as_ref(), now).await? {
            Some(who) => self.show(Some((who.into().name(), token)), None, StatusCode::OK),
            None => self.refuse(),
        }
    }

    async fn enter(&self, request: &HttpRequest, payload: web::Payload) -> Answer {
        form::refuse_other_sites(request, self.site)?;
        let form = Form::receive(payload).await?;
        let link = form.get(LINK_PARAMETER).unwrap_or_default();
        let link = self.site.find_token(link).await?;
        let (token, entry) = (session::new_token(), Uuid::now_v7());
        let digest = token_digest(&token);
        let (tokens, now) = (&*self.site.ports.stores.sign_in_tokens, self.site.now());
        let entered = sign_in(tokens, &self.admission, link, digest, entry, now);
        let Some(who) = entered.await? else {
            return self.refuse();
        };
        let holder = who.into().actor();
        tracing::info!(%holder, place = self.site.place.cookie, "signed in");
        Ok(HttpResponse::SeeOther()
            .insert_header((LOCATION, self.site.place.home()))
            .cookie(session::cookie(self.site, token))
            .finish())
    }

    /// Refuses an invalid link. Only invalid links are limited, so a valid link always works.
    fn refuse(&self) -> Answer {
        self.site.guesses.check().map_err(|_| Failure::Guesses)?;
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
        self.show(None, Some(problem), StatusCode::GONE)
    }

    pub fn show(
        &self,
        link: Option<(&str, &str)>,
        problem: Option<&'static str>,
        status: StatusCode,
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

pub async fn leave<A: Admission>(visit: &Visit) -> Answer {
    let (site, session, entry) = (&visit.site, &visit.session, Uuid::now_v7());
    let (tokens, holder) = (&*site.ports.stores.sign_in_tokens, session.holder.actor());
    sign_out::<A>(tokens, &session.digest, &holder, entry, visit.now).await?;
    tracing::info!(%holder, place = site.place.cookie, "signed out");
    Ok(HttpResponse::SeeOther()
        .insert_header((LOCATION, visit.at(SIGN_IN_PATH)))
        .cookie(session::no_cookie(site))
        .finish())
}

pub async fn operators(
    request: HttpRequest,
    payload: web::Payload,
    site: web::Data<Site>,
    state: web::Data<State>,
) -> HttpResponse {
    let way = match state.settings.proxy {
        Some(_) => Way::Proxy,
        None => Way::Operators,
    };
    let door = Door {
        site: &site,
        way,
        admission: Operators,
    };
    door.answer(&request, payload).await
}

pub async fn leave_console(visit: OperatorVisit, _: Form) -> Answer {
    leave::<Operators>(&visit).await
}
