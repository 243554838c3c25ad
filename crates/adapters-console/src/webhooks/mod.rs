//! Webhooks: the list, one with its deliveries, one delivery, and all that the commands do. The
//! pages are the same for operators and for the people of a client: what differs is the `Desk`.

mod act;
mod delivery;
mod desk;
mod list;
mod show;

use actix_web::web;

use crate::page::page;

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(page(desk::PATH, list::list).route(web::post().to(act::create)))
        .service(page("/webhooks/{id}", show::show).route(web::post().to(act::change)))
        .service(page(
            "/webhooks/{id}/deliveries/{event}",
            delivery::delivery,
        ));
}
