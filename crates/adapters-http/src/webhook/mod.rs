//! Webhooks over HTTP: a client registers receivers of events and looks after them.

mod manage;
mod payload;
mod ping;
mod view;

use actix_web::{http::Method, web};

pub use self::{
    manage::{MANAGERS, MAX_DELIVERIES, PATH},
    payload::schemas as payload_schemas,
    ping::new_ping,
    view::{
        AttemptAnswer, DeliveriesAnswer, EndpointAnswer, EndpointsAnswer, SecretAnswer,
        delivery_data, endpoint_data,
    },
};
use crate::guard::protected;

/// The list, one endpoint, and the operations on it.
pub fn routes(config: &mut web::ServiceConfig) {
    let of = |what: &str| protected(&format!("{PATH}/{{id}}{what}"), MANAGERS);
    config
        .service(
            protected(PATH, MANAGERS)
                .get(manage::list)
                .on(Method::POST, manage::create)
                .build(),
        )
        .service(
            of("")
                .get(manage::show)
                .on(Method::PATCH, manage::update)
                .on(Method::DELETE, manage::delete)
                .build(),
        )
        .service(
            of("/rotate-secret")
                .on(Method::POST, manage::rotate)
                .build(),
        )
        .service(of("/test").on(Method::POST, manage::test).build())
        .service(of("/replay").on(Method::POST, manage::replay).build())
        .service(of("/resend").on(Method::POST, manage::resend).build())
        .service(of("/deliveries").get(manage::deliveries).build());
}
