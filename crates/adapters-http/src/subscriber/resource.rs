//! A subscriber: `PUT` reports a person, `GET` returns the record, and `DELETE` erases the person.

use access::Scope;
use actix_web::{HttpResponse, http::StatusCode, web};
use fields::validation::FieldErrors;
use newsletter::subscriber::{Email, InvalidEmail, PutSubscriber};
use tokens::new_subscriber;
use views::subscriber::Subscriber;

use crate::{
    answer::{self, Answer},
    body::Body,
    error::{ApiError, refusals},
    oauth::Caller,
    resource::Segment,
    state::State,
};

pub const REPORTERS: &[Scope] = &[Scope::NewsletterSubscribersWrite];

pub(super) async fn put(segment: Segment, body: Body, state: web::Data<State>) -> Answer {
    let body = body.json(state.body_limit()).await?;
    let (id, token) = new_subscriber();
    let put = PutSubscriber::parse(segment.read()?, &body, id, token)?;
    // The command has its own copy of the values, so the body is freed before the wait.
    drop(body);
    let reported = state.ports.newsletter.put(put).await?;
    let status = if reported.is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    answer::data_with(status, Subscriber::new(&reported.subscriber))
}

pub(super) async fn get(segment: Segment, state: web::Data<State>) -> Answer {
    let email = Email::from_path_segment(segment.read()?)?;
    let found = state.ports.newsletter.find(&email).await?;
    let subscriber = found.ok_or_else(ApiError::no_such_subscriber)?;
    answer::data(Subscriber::new(&subscriber))
}

pub(super) async fn delete(segment: Segment, caller: Caller, state: web::Data<State>) -> Answer {
    let email = Email::from_path_segment(segment.read()?)?;
    if state.ports.newsletter.erase(&email, caller.id()).await? {
        Ok(HttpResponse::NoContent().finish())
    } else {
        Err(ApiError::no_such_subscriber())
    }
}

refusals! {
    no_such_subscriber: NOT_FOUND, "Newsletter subscriber not found.";
}

impl From<InvalidEmail> for ApiError {
    fn from(error: InvalidEmail) -> Self {
        Self::invalid(FieldErrors::one(PutSubscriber::EMAIL, error.to_string()))
    }
}
