//! Companies: the list, one company, and the form that changes it.

mod act;
mod show;

use actix_web::web;

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(
            web::resource(show::PATH)
                .route(web::get().to(show::list))
                .route(web::head().to(show::list)),
        )
        .service(
            web::resource("/companies/{id}")
                .route(web::get().to(show::show))
                .route(web::head().to(show::show))
                .route(web::post().to(act::change)),
        );
}
