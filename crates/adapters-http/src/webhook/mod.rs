mod manage;

use access::Scope;
use actix_web::{http::Method, web};
use views::webhook::{Delivery, Endpoint, EndpointWithSecret, TestOutcome};

pub use self::manage::PATH;
use crate::{
    guard::protected,
    section::{Section, of_answer},
};

pub const SECTION: Section = Section {
    routes,
    document: include_str!("openapi.json"),
    answers: &[
        of_answer::<Endpoint>,
        of_answer::<EndpointWithSecret>,
        of_answer::<TestOutcome>,
        of_answer::<Delivery>,
    ],
};

fn routes(config: &mut web::ServiceConfig) {
    let of = |what: &str| protected(&format!("{PATH}/{{id}}{what}"), Scope::MANAGERS);
    let all = protected(PATH, Scope::MANAGERS)
        .get(manage::list)
        .on(Method::POST, manage::create);
    let one = of("")
        .get(manage::show)
        .on(Method::PATCH, manage::update)
        .on(Method::DELETE, manage::delete);
    for resource in [
        all,
        one,
        of("/rotate-secret").on(Method::POST, manage::rotate),
        of("/test").on(Method::POST, manage::test),
        of("/replay").on(Method::POST, manage::replay),
        of("/resend").on(Method::POST, manage::resend),
        of("/deliveries").get(manage::deliveries),
    ] {
        config.service(resource);
    }
}
