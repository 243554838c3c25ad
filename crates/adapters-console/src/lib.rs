//! The operators' console, and the pages of clients: on actix-web, rendered by the server.
//!
//! A handler takes the visit of an operator or of a client's people, reads from a port, and renders
//! a page. A form calls the same use case as the command for it. [`Console`] and
//! [`integration_routes`] create the routes, which the crate `app` puts on listeners of
//! `adapters-http`.
//!
//! - `session`: admits signed-in visitors; `sign_in`: signs them in by a link, and out.
//! - `visit`: a request with its session and ports, and the action just done.
//! - `form`: reads forms, and refuses other sites' forms.
//! - `page`: the frame and headers of all pages; `assets`: style and script.
//! - `ttl_cache`: counts that never delay a page.
//! - The other modules are pages; those of `integration` are only for clients.

mod assets;
mod audit;
mod by;
mod catalogues;
mod chart;
mod clients;
mod companies;
mod duplicates;
mod error;
mod facts;
mod form;
mod integration;
mod outbox;
mod overview;
mod page;
mod postings;
mod preview;
mod query;
mod reports;
mod session;
mod sign_in;
mod state;
mod subject;
mod subscribers;
mod text;
mod ttl_cache;
mod visit;
mod webhooks;

use actix_web::{middleware::from_fn, web};

pub use self::{
    integration::{client_link, integration_routes},
    outbox::LACKS_A_WORKER,
    session::{SIGN_IN_PATH, new_token},
    sign_in::LINK_PARAMETER,
    state::{Ports, Settings, TrustedProxy},
};
use self::{
    page::{CONSOLE, page},
    session::require_operator,
    sign_in::SIGN_OUT_PATH,
    state::{Site, State},
};

#[derive(Clone)]
pub struct Console {
    site: web::Data<Site>,
    state: web::Data<State>,
}

impl Console {
    pub fn new(ports: Ports, settings: Settings) -> Self {
        let site = Site::new(&CONSOLE, &settings.url, ports.clone());
        Self {
            site: web::Data::new(site),
            state: web::Data::new(State::new(ports.stores, settings)),
        }
    }

    pub fn configure(&self, config: &mut web::ServiceConfig) {
        let pages = web::scope("")
            .wrap(from_fn(require_operator))
            .service(page("/", overview::show))
            .configure(postings::routes)
            .configure(companies::routes)
            .service(
                page(duplicates::PATH, duplicates::list)
                    .route(web::post().to(duplicates::tell_apart)),
            )
            .configure(clients::routes)
            .service(page(catalogues::PATH, catalogues::list))
            .service(
                page("/catalogues/{id}", catalogues::one::show)
                    .route(web::post().to(catalogues::one::command)),
            )
            .configure(reports::routes)
            .configure(webhooks::routes)
            .service(page("/outbox", outbox::list).route(web::post().to(outbox::settle)))
            .service(
                page("/subscribers", subscribers::show).route(web::post().to(subscribers::act)),
            )
            .service(page("/audit", audit::list))
            .service(web::resource(SIGN_OUT_PATH).route(web::post().to(sign_in::leave_console)))
            .default_service(web::to(error::not_found));
        config
            .app_data(self.site.clone())
            .app_data(self.state.clone())
            .configure(assets::routes)
            .service(web::resource(SIGN_IN_PATH).to(sign_in::operators))
            .service(pages);
    }
}
