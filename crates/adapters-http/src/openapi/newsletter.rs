//! The operations on newsletter subscribers.

use actix_web::ResponseError as _;
use newsletter::subscriber::{Account, LONGEST_EMAIL};
use serde_json::json;
use utoipa::openapi::{
    Content, HttpMethod, PathItem, Required,
    path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItemBuilder},
    request_body::RequestBodyBuilder,
    security::SecurityRequirement,
};

use super::{
    errors::{
        ALL, BAD_REQUEST, BAD_SIGNATURE, INTERNAL, INVALID, SUBSCRIBER_NOT_FOUND, TIMEOUT,
        TOO_LARGE, UNAVAILABLE, WRITING, with_errors,
    },
    operation::{Examples, json_body, operation, parameter},
    response::{ok, page, refusal, response, with_header},
    security::{NONE, SIGNATURE, requires},
};
use crate::error::{ApiError, ErrorBody};
use crate::schema::{email, reference, string};
use crate::subscriber::{
    CONFIRM_PATH, CONFIRMED_PATH, LinkAction, NOT_SUBSCRIBED_PATH, PATH, REPORTERS,
    SubscriberAnswer, UNSUBSCRIBED_PATH, WEBHOOK_PATH, WebhookAnswer,
};

/// The tag of these operations.
pub const TAG: &str = "Newsletter";

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";
const HTML: &str = "text/html";

const LANGUAGES: &str = "The languages that the reader of a page prefers. A page is in one of `en`, \
                         `de`, `fr`, `es`, `nl`, `da`, `sv`, `nb`, `it`, `pl` and `pt`, or else \
                         in English.";

/// The result pages of the confirmation: path, operation id and summary.
const RESULT_PAGES: [(&str, &str, &str); 3] = [
    (
        CONFIRMED_PATH,
        "showMigrationConfirmed",
        "The page after confirming the move",
    ),
    (
        UNSUBSCRIBED_PATH,
        "showUnsubscribed",
        "The page after unsubscribing by the link",
    ),
    (
        NOT_SUBSCRIBED_PATH,
        "showNotSubscribed",
        "The page for people who are suppressed and get no mail",
    ),
];

/// The paths with their operations.
pub fn paths() -> Vec<(String, PathItem)> {
    let one = PathItemBuilder::new()
        .operation(HttpMethod::Put, put())
        .operation(HttpMethod::Get, get())
        .operation(HttpMethod::Delete, delete())
        .build();
    let webhook = PathItem::new(HttpMethod::Post, webhook());
    let confirmation = PathItemBuilder::new()
        .operation(HttpMethod::Get, ask())
        .operation(HttpMethod::Post, confirm())
        .build();
    vec![
        (format!("{PATH}/{{email}}"), one),
        (WEBHOOK_PATH.to_owned(), webhook),
        (CONFIRM_PATH.to_owned(), confirmation),
    ]
    .into_iter()
    .chain(RESULT_PAGES.map(|(path, id, summary)| (path.to_owned(), result_page(id, summary))))
    .collect()
}

fn put() -> OperationBuilder {
    let operation = operation(
        TAG,
        "putNewsletterSubscriber",
        "Report a person",
        "The membership system reports its data about a person: absent fields are kept, `null` \
         clears, `membership` is replaced as a whole. The e-mail provider is updated later; a \
         report that changes nothing sends nothing.\n\n\
         With `previous_email` the record of that address moves to this one, with its `uuid`, \
         `status` and account; where a record is reported under this address already, that one \
         takes the report. The strongest status of both stands, and the previous address is \
         removed from the provider.\n\n\
         Refusals come in this order: 401, 403, 405, 415, 413, 400, 422.",
    )
    .securities(Some(requires(REPORTERS)))
    .parameter(address())
    .request_body(Some(json_body("SubscriberPayload", None, reports())))
    .response(
        "201",
        ok::<SubscriberAnswer>("The person was reported for the first time."),
    )
    .response("200", ok::<SubscriberAnswer>("The person is as reported."));
    with_errors(operation, &[ALL, WRITING, &[&BAD_REQUEST]])
}

fn get() -> OperationBuilder {
    let operation = operation(
        TAG,
        "getNewsletterSubscriber",
        "A person's record",
        "The record of a reported person: the reported data, the status at the e-mail provider, \
         and the account that the person is in.",
    )
    .securities(Some(requires(REPORTERS)))
    .parameter(address())
    .response("200", ok::<SubscriberAnswer>("The subscriber."));
    with_errors(operation, &[ALL, &[&BAD_REQUEST, &SUBSCRIBER_NOT_FOUND]])
}

fn delete() -> OperationBuilder {
    let operation = operation(
        TAG,
        "eraseNewsletterSubscriber",
        "Erase a person",
        "Deletes the record at once, and the person in both accounts of the e-mail provider soon \
         after. If the person was suppressed, a hash of the address is kept, so that no mail is \
         sent to it again; otherwise nothing is kept.",
    )
    .securities(Some(requires(REPORTERS)))
    .parameter(address())
    .response("204", response("The person is erased.").build());
    with_errors(operation, &[ALL, &[&BAD_REQUEST, &SUBSCRIBER_NOT_FOUND]])
}

fn webhook() -> OperationBuilder {
    let operation = operation(
        TAG,
        "receiveSubscriberStatus",
        "The e-mail provider's webhook",
        "Accepts bounces, unsubscribes, spam reports and deletions, one at a time or in a batch, \
         in any order and any number of times. Any JSON with a valid signature is answered 200, \
         even if it contains no relevant event. If the store is unavailable, or no secret is \
         configured, the answer is 503, so that the provider delivers again.",
    )
    .securities(Some([SecurityRequirement::new(SIGNATURE, [""; 0])]))
    .request_body(Some(json_body("WebhookDelivery", None, deliveries())))
    .response("200", ok::<WebhookAnswer>("The delivery was accepted."));
    with_errors(
        operation,
        &[&[
            &BAD_REQUEST,
            &BAD_SIGNATURE,
            &TIMEOUT,
            &TOO_LARGE,
            &INTERNAL,
            &UNAVAILABLE,
        ]],
    )
}

fn ask() -> OperationBuilder {
    let token = parameter(
        ParameterIn::Query,
        "token",
        "The person's token.",
        string("A secret.").min_length(Some(1)),
    )
    .required(Required::True);
    let operation = operation(
        TAG,
        "askToConfirmMigration",
        "The page of the link in the e-mail",
        "Has buttons that send the form: to move, or to unsubscribe instead. The page itself \
         changes nothing, because mail scanners follow links.",
    )
    .securities(Some(NONE))
    .parameter(token)
    .parameter(languages())
    .response("200", response("The page.").content(HTML, page()));
    with_errors(with_pages(operation), &[&[&INTERNAL]])
}

fn confirm() -> OperationBuilder {
    let description = format!(
        "Moves the holder of the token to the `{}` account and redirects to `{CONFIRMED_PATH}`. \
         People who have moved already are redirected there as well; suppressed people are not \
         moved, but redirected to `{NOT_SUBSCRIBED_PATH}`. With `action` `{}` it \
         unsubscribes the holder in both accounts instead, and redirects to \
         `{UNSUBSCRIBED_PATH}`. Errors are pages if `Accept` prefers `text/html`.",
        Account::New,
        LinkAction::Unsubscribe.as_str(),
    );
    let form = Content::new(Some(reference("MigrationConfirmation")));
    let body = RequestBodyBuilder::new()
        .required(Some(Required::True))
        .content(FORM, form.clone())
        .content(JSON, form)
        .build();
    let operation = operation(
        TAG,
        "confirmMigration",
        "Move to the new account, or unsubscribe",
        &description,
    )
    .securities(Some(NONE))
    .parameter(languages())
    .request_body(Some(body));
    with_errors(
        with_pages(operation),
        &[WRITING, &[&BAD_REQUEST, &INVALID, &INTERNAL]],
    )
}

fn result_page(id: &str, summary: &str) -> PathItem {
    let operation = operation(TAG, id, summary, "Where the confirmation redirects to.")
        .securities(Some(NONE))
        .parameter(languages())
        .response("200", response("The page.").content(HTML, page()));
    PathItem::new(HttpMethod::Get, with_errors(operation, &[&[&INTERNAL]]))
}

/// Adds the responses that both operations of the link share, with errors as pages or as JSON.
fn with_pages(operation: OperationBuilder) -> OperationBuilder {
    let moved = response("The person is being moved, has moved or unsubscribed, or is suppressed.");
    let refused = |description: &str, error: ApiError| {
        refusal::<ErrorBody>(description, error.error_response()).content(HTML, page())
    };
    let unknown = refused("Nobody has this token.", ApiError::no_such_token());
    let unavailable = refused(
        "The service cannot answer at the moment, or the new account is not configured yet.",
        ApiError::links_off(),
    );
    operation
        .response("303", with_header(moved, "Location"))
        .response("404", unknown)
        .response("503", unavailable)
}

fn languages() -> ParameterBuilder {
    parameter(
        ParameterIn::Header,
        "Accept-Language",
        LANGUAGES,
        string("Languages with their weights (RFC 9110, section 12.5.4)."),
    )
}

fn address() -> Parameter {
    parameter(
        ParameterIn::Path,
        "email",
        "The person's e-mail address: percent-encoded UTF-8, in any case.",
        email("An address.")
            .min_length(Some(1))
            .max_length(Some(LONGEST_EMAIL)),
    )
    .example(Some(json!("ada@example.com")))
    .build()
}

fn reports() -> Examples {
    vec![
        (
            "member",
            "A member",
            json!({
                "name": "Ada",
                "country": "Germany",
                "membership": {
                    "plan_category": "individual",
                    "status": "active",
                    "expires_at": "2027-01-31"
                }
            }),
        ),
        (
            "renewed",
            "A renewed membership",
            json!({
                "membership": {
                    "plan_category": "individual",
                    "status": "active",
                    "expires_at": "2028-01-31"
                }
            }),
        ),
        (
            "readdressed",
            "Another address",
            json!({"previous_email": "ada@old.example", "as_of": "2026-12-31T12:00:00Z"}),
        ),
        (
            "non-member",
            "No membership any more",
            json!({"membership": null}),
        ),
    ]
}

fn deliveries() -> Examples {
    vec![
        (
            "unsubscribed",
            "One event",
            json!({
                "event": "subscriber.unsubscribed",
                "email": "ada@example.com",
                "status": "unsubscribed"
            }),
        ),
        (
            "batch",
            "Several events",
            json!({
                "events": [
                    {
                        "type": "subscriber.bounced",
                        "subscriber": {"email": "ada@example.com", "status": "bounced"}
                    },
                    {
                        "type": "subscriber.spam_reported",
                        "subscriber": {"email": "bob@example.com", "status": "active"}
                    }
                ],
                "total": 2
            }),
        ),
    ]
}
