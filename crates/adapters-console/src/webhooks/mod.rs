//! Webhooks: the list, one with its deliveries, one delivery, and all that the commands do.

mod act;
mod delivery;
mod list;
mod parts;
mod show;

use actix_web::web;

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(
            web::resource(parts::PATH)
                .route(web::get().to(list::list))
                .route(web::head().to(list::list))
                .route(web::post().to(act::create)),
        )
        .service(
            web::resource("/webhooks/{id}")
                .route(web::get().to(show::show))
                .route(web::head().to(show::show))
                .route(web::post().to(act::change)),
        )
        .service(
            web::resource("/webhooks/{id}/deliveries/{event}")
                .route(web::get().to(delivery::show))
                .route(web::head().to(delivery::show)),
        );
}
