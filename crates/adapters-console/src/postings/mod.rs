pub mod act;
pub mod list;
pub mod show;
mod versions;

use actix_web::web;

use crate::page::page;

pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(page(list::PATH, list::list).route(web::post().to(act::on_many)))
        .service(
            page("/postings/{id}/versions", versions::versions)
                .route(web::post().to(versions::restore)),
        )
        .service(page("/postings/{id}", show::show).route(web::post().to(act::on_one)));
}
