//! Webhooks: the list, one with its deliveries, one delivery, and all that the commands do. The
//! pages are the same for operators and for the people of a client: what differs is the [`Desk`].

mod act;
mod delivery;
mod desk;
mod list;
mod parts;
mod show;

use actix_web::{HttpRequest, web};

pub use self::{
    act::{change, create},
    delivery::delivery,
    desk::Desk,
    list::list,
    show::page,
};
use crate::{error::Answer, form::Form, session::SignedIn, state::State};

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(
            web::resource(parts::PATH)
                .route(web::get().to(get_all))
                .route(web::head().to(get_all))
                .route(web::post().to(post_new)),
        )
        .service(
            web::resource("/webhooks/{id}")
                .route(web::get().to(get_one))
                .route(web::head().to(get_one))
                .route(web::post().to(post_one)),
        )
        .service(
            web::resource("/webhooks/{id}/deliveries/{event}")
                .route(web::get().to(get_delivery))
                .route(web::head().to(get_delivery)),
        );
}

async fn get_all(request: HttpRequest, state: web::Data<State>) -> Answer {
    let by = SignedIn::of(&request)?.attribution();
    list(&request, &Desk::of_operator(&state, &by)).await
}

async fn post_new(request: HttpRequest, payload: web::Payload, state: web::Data<State>) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    let by = signed_in.attribution();
    create(&request, &Desk::of_operator(&state, &by), &form).await
}

async fn get_one(request: HttpRequest, path: web::Path<String>, state: web::Data<State>) -> Answer {
    let by = SignedIn::of(&request)?.attribution();
    page(&request, &path, &Desk::of_operator(&state, &by)).await
}

async fn post_one(
    request: HttpRequest,
    path: web::Path<String>,
    payload: web::Payload,
    state: web::Data<State>,
) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    let by = signed_in.attribution();
    let desk = Desk::of_operator(&state, &by);
    change(&request, &path, &desk, &signed_in, &form).await
}

async fn get_delivery(
    request: HttpRequest,
    path: web::Path<(String, String)>,
    state: web::Data<State>,
) -> Answer {
    let by = SignedIn::of(&request)?.attribution();
    let desk = Desk::of_operator(&state, &by);
    delivery(&request, (&path.0, &path.1), &desk).await
}
