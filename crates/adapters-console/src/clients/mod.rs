//! Clients: the list, one client, and all that the commands do.

mod act;
mod show;

use actix_web::web;

use crate::page::page;

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(page(show::PATH, show::list).route(web::post().to(act::create)))
        .service(page("/clients/{id}", show::show).route(web::post().to(act::change)));
}
