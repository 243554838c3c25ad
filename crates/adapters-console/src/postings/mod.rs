//! Postings: the list with its search, one posting, and what operators decide about them.

mod act;
pub mod decided;
pub mod list;
pub mod show;

use actix_web::web;

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(
            web::resource("/postings")
                .route(web::get().to(list::list))
                .route(web::head().to(list::list))
                .route(web::post().to(act::on_many)),
        )
        .service(
            web::resource("/postings/{id}")
                .route(web::get().to(show::show))
                .route(web::head().to(show::show))
                .route(web::post().to(act::on_one)),
        );
}
