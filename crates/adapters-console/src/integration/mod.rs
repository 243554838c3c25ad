//! `/integration`: the pages of a client, for the people who run it.
//!
//! They show what the API shows the client, by the same use cases and within its prefixes, and ask
//! for the scopes that the API asks for. A handler has the client of the session and these ports;
//! nothing that operators do is within its reach.

mod catalogues;
mod overview;
mod postings;
mod state;
mod webhooks;

use actix_web::{
    Error, FromRequest, Handler, HttpRequest, HttpResponse, Resource,
    body::BoxBody,
    dev::{ServiceRequest, ServiceResponse},
    http::header::{HeaderValue, WWW_AUTHENTICATE},
    middleware::{Next, from_fn},
    web,
};
use kernel::Actor;

use self::state::{INTEGRATION, State, Visitor};
pub use self::state::{IntegrationPorts, client_link};
use crate::{
    assets,
    error::{self, Answer, Failure},
    page,
    session::{SIGN_IN_PATH, by_cookie},
    sign_in::SIGN_OUT_PATH,
    state::Site,
};

/// What 401 asks for: the cookie that a link brings.
const CHALLENGE: HeaderValue = HeaderValue::from_static("Cookie realm=\"integration\"");

/// The routes of the pages, without [the path](INTEGRATION) that all of them begin with.
pub fn integration_routes(
    ports: IntegrationPorts,
    public_url: &str,
) -> impl Fn(&mut web::ServiceConfig) + Send + Sync + 'static {
    let site = Site::new(&INTEGRATION, public_url);
    let state = web::Data::new(State { ports, site });
    move |config| {
        let of_guard = web::Data::clone(&state);
        let guard = move |request, next| require(request, next, web::Data::clone(&of_guard));
        let pages = web::scope("")
            .wrap(from_fn(guard))
            .service(page("", overview::show))
            .service(page("/postings", postings::show))
            .service(page("/catalogues", catalogues::show).route(web::post().to(catalogues::undo)))
            .service(page("/webhooks", webhooks::show_all).route(web::post().to(webhooks::add)))
            .service(
                page("/webhooks/{id}", webhooks::show_one).route(web::post().to(webhooks::act)),
            )
            .service(page(
                "/webhooks/{id}/deliveries/{event}",
                webhooks::show_delivery,
            ))
            .service(web::resource(SIGN_OUT_PATH).route(web::post().to(leave)))
            .default_service(web::to(error::not_found));
        config
            .app_data(web::Data::clone(&state))
            .configure(assets::routes)
            .service(web::resource(SIGN_IN_PATH).to(enter))
            .service(pages);
    }
}

fn page<F, Args>(path: &str, handler: F) -> Resource
where
    F: Handler<Args, Output = Answer> + Clone,
    Args: FromRequest + 'static,
{
    web::resource(path)
        .route(web::get().to(handler.clone()))
        .route(web::head().to(handler))
}

/// Lets whoever is signed in through, and tells everybody else where links come from.
async fn require(
    request: ServiceRequest,
    next: Next<BoxBody>,
    state: web::Data<State>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let (request, payload) = request.into_parts();
    let (door, tokens) = (state.door(), &*state.ports.sign_in_tokens);
    let found = by_cookie(&request, door.site, tokens, &door.admission, door.now);
    let refused = match found.await {
        Ok(Some(visitor)) => {
            visitor.enter(&request);
            let request = ServiceRequest::from_parts(request, payload);
            let mut response = next.call(request).await?;
            let error = response.response().error();
            if let Some(failure) = error.and_then(|error| error.as_error::<Failure>()).cloned() {
                return Ok(response.into_response(failure.page(&INTEGRATION)));
            }
            page::guard(response.headers_mut());
            return Ok(response);
        }
        Ok(None) => door.show(None, None, 401).map(|mut page| {
            page.headers_mut().insert(WWW_AUTHENTICATE, CHALLENGE);
            page
        }),
        Err(failure) => Err(failure),
    };
    let refused = page::guarded(refused, &INTEGRATION);
    Ok(ServiceResponse::new(request, refused))
}

async fn enter(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> HttpResponse {
    state.door().answer(&request, payload).await
}

async fn leave(request: HttpRequest, payload: web::Payload, state: web::Data<State>) -> Answer {
    let Visitor { who, session } = Visitor::of(&request)?;
    let (door, holder) = (state.door(), Actor::Client(who.id));
    door.leave(&request, payload, &session, &holder).await
}
