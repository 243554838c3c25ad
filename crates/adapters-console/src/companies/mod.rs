//! Companies: the list, one company, and the form that changes it.

mod act;
pub mod show;

use actix_web::web;

use crate::page::page;

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(page(show::PATH, show::list))
        .service(page("/companies/{id}", show::show).route(web::post().to(act::change)));
}
