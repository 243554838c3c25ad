//! Webhooks: the list, one with its deliveries, and all that the commands do.

mod act;
mod show;

use actix_web::web;

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config.service(
        web::resource(show::PATH)
            .route(web::get().to(show::show))
            .route(web::head().to(show::show))
            .route(web::post().to(act::act)),
    );
}
