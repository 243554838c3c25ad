//! Clients: the list, one client, and all that the commands do.

mod act;
mod show;

use actix_web::web;

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(
            web::resource("/clients")
                .route(web::get().to(show::list))
                .route(web::head().to(show::list))
                .route(web::post().to(act::create)),
        )
        .service(
            web::resource("/clients/{id}")
                .route(web::get().to(show::show))
                .route(web::head().to(show::show))
                .route(web::post().to(act::change)),
        );
}
