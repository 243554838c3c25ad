//! Pages of webhooks: the list, a webhook with its deliveries, a delivery, and the commands.

mod act;
mod pages;

use actix_web::web;

use crate::page::page;

pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(page(pages::PATH, pages::list).route(web::post().to(act::create)))
        .service(page("/webhooks/{id}", pages::show).route(web::post().to(act::change)))
        .service(page("/webhooks/{id}/deliveries/{event}", pages::delivery));
}
