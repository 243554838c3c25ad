//! `/sign-in`: a link shows a page with a button, because scanners follow links; the button signs
//! in. And signing out.

use access::sign_in::{SignInTokenKind, sign_in, sign_out, token_digest};
use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{LOCATION, SET_COOKIE},
    },
    web,
};
use askama::Template;
use uuid::Uuid;

use crate::{
    error::{Answer, Failure},
    form::{self, Form},
    page,
    query::Query,
    session::{self, SIGN_IN_PATH, SignedIn},
    state::State,
};

/// The parameter of a link.
pub const LINK_PARAMETER: &str = "link";
const SIGN_OUT_PATH: &str = "/sign-out";

#[derive(Template)]
#[template(path = "sign_in.html")]
struct Page<'a> {
    head: page::Head,
    /// The operator whom the link signs in, and its token.
    link: Option<(&'a str, &'a str)>,
    problem: Option<&'a str>,
    /// Whether a proxy signs operators in.
    is_proxied: bool,
}

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config.service(web::resource(SIGN_IN_PATH).to(handle));
    config.service(
        web::resource(SIGN_OUT_PATH)
            .wrap(actix_web::middleware::from_fn(session::require))
            .route(web::post().to(leave))
            .default_service(web::to(crate::error::not_found)),
    );
}

async fn handle(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> HttpResponse {
    let answer = match *request.method() {
        Method::GET | Method::HEAD => ask(&request, &state).await,
        Method::POST => enter(&request, payload, &state).await,
        _ => Err(Failure::Method("GET, HEAD, POST")),
    };
    page::guarded(answer)
}

const USED: &str = "This link is not valid: it has been used, is older than fifteen minutes, or \
                    was not copied as a whole.";

/// Shows who would be signed in. Changes nothing.
async fn ask(request: &HttpRequest, state: &State) -> Answer {
    let query = Query::of(request);
    let Some(token) = query.get(LINK_PARAMETER) else {
        return show(state, None, None, 200);
    };
    let digest = token_digest(token);
    let found = state
        .ports
        .sign_in_tokens
        .find_token(SignInTokenKind::Link, &digest)
        .await?;
    match found.filter(|link| link.is_live(state.now())) {
        Some(link) => show(state, Some((link.operator.as_str(), token)), None, 200),
        None => show(state, None, Some(USED), 410),
    }
}

fn show(state: &State, link: Option<(&str, &str)>, problem: Option<&str>, status: u16) -> Answer {
    let page = Page {
        head: page::Head::new("Sign in"),
        link,
        problem,
        is_proxied: state.proxy.is_some(),
    };
    page::answer(&page, status)
}

/// Signs in, and leads to the overview.
async fn enter(request: &HttpRequest, payload: web::Payload, state: &State) -> Answer {
    form::refuse_other_sites(request, state)?;
    let form = Form::receive(payload).await?;
    let link = token_digest(form.get(LINK_PARAMETER).unwrap_or_default());
    let token = session::new_token();
    let passes = &*state.ports.sign_in_tokens;
    let digest = token_digest(&token);
    let entered = sign_in(passes, &link, digest, Uuid::now_v7(), state.now()).await?;
    let Some(pass) = entered else {
        return show(state, None, Some(USED), 410);
    };
    tracing::info!(operator = %pass.operator, "signed in to the console");
    Ok(HttpResponse::SeeOther()
        .insert_header((LOCATION, "/"))
        .insert_header((SET_COOKIE, session::set_cookie(state, &token)?))
        .finish())
}

async fn leave(request: HttpRequest, payload: web::Payload, state: web::Data<State>) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    Form::checked(&request, payload, &state, &signed_in).await?;
    let by = signed_in.attribution();
    sign_out(
        &*state.ports.sign_in_tokens,
        &signed_in.session,
        &by,
        state.now(),
    )
    .await?;
    tracing::info!(operator = %signed_in.operator, "signed out of the console");
    Ok(HttpResponse::SeeOther()
        .insert_header((LOCATION, SIGN_IN_PATH))
        .insert_header((SET_COOKIE, session::clear_cookie(&state)?))
        .finish())
}
