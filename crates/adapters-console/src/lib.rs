//! The operators' console of Posthaste: pages on actix-web, rendered by the server.
//!
//! A handler asks who is signed in, reads from a port, and renders a page; a form calls the same
//! use case as the command of the command line. [`Console`] makes the routes, which the `app` crate
//! puts on a listener of `adapters-http`.
//!
//! - `session`: lets signed-in operators alone through; `sign_in`: by a link, and out again.
//! - `form`: reads forms, and refuses those of other sites.
//! - `page`: what all pages and their headers have in common; `assets`: style and script.
//! - `kept`: counts, which no page waits for.
//! - The other modules are the pages.

mod assets;
mod attention;
mod audit;
mod by;
mod catalogues;
mod chart;
mod clients;
mod companies;
mod error;
mod form;
mod integration;
mod kept;
mod notice;
mod outbox;
mod overview;
mod page;
mod postings;
mod query;
mod session;
mod sign_in;
mod state;
mod subject;
mod subscribers;
mod text;
mod webhooks;

use actix_web::{middleware::from_fn, web};

use self::state::State;
pub use self::{
    integration::{IntegrationPorts, client_link, integration_routes},
    session::{SIGN_IN_PATH, new_token},
    sign_in::LINK_PARAMETER,
    state::{CompanyEditor, Moderator, NewPing, NewSecret, People, Ports, Settings, TrustedProxy},
};

/// The console: its ports and settings.
#[derive(Clone)]
pub struct Console {
    state: web::Data<State>,
}

impl Console {
    /// A console.
    pub fn new(ports: Ports, settings: Settings) -> Self {
        Self {
            state: web::Data::new(State::new(ports, settings)),
        }
    }

    /// Adds its routes, which take all paths.
    pub fn configure(&self, config: &mut web::ServiceConfig) {
        let pages = web::scope("")
            .wrap(from_fn(session::require))
            .service(
                web::resource("/")
                    .route(web::get().to(overview::show))
                    .route(web::head().to(overview::show)),
            )
            .configure(postings::routes)
            .configure(companies::routes)
            .configure(clients::routes)
            .service(
                web::resource("/catalogues")
                    .route(web::get().to(catalogues::list))
                    .route(web::head().to(catalogues::list))
                    .route(web::post().to(catalogues::command)),
            )
            .configure(webhooks::routes)
            .service(
                web::resource("/outbox")
                    .route(web::get().to(outbox::list))
                    .route(web::head().to(outbox::list))
                    .route(web::post().to(outbox::settle)),
            )
            .service(
                web::resource("/subscribers")
                    .route(web::get().to(subscribers::show))
                    .route(web::head().to(subscribers::show))
                    .route(web::post().to(subscribers::act)),
            )
            .service(
                web::resource("/audit")
                    .route(web::get().to(audit::list))
                    .route(web::head().to(audit::list)),
            )
            .default_service(web::to(error::not_found));
        config
            .app_data(self.state.clone())
            .configure(assets::routes)
            .configure(sign_in::routes)
            .service(pages);
    }
}
