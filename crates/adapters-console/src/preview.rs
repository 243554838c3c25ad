//! `/integration/preview`: the expected result of a pasted posting. Nothing is written.

use access::{Client, Scope};
use actix_web::web;
use askama::Template;
use domain::{
    authority::Principal,
    posting::{Handling, Notice, PostingView, PutPosting, Rejection},
    usecase,
};
use enrichment::preview;
use fields::body::BodyError;
use kernel::PostingId;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use uuid::Uuid;

use crate::{
    error::{Answer, Failure, Refusal},
    form::{Fields, Form},
    page::Frame,
    text::{self, Compared},
    visit::Visit,
};

pub const PATH: &str = "/preview";

#[derive(Template)]
#[template(path = "integration/preview.html")]
struct Page<'a> {
    frame: Frame,
    fields: Fields,
    made: Option<&'a Made>,
    texts: Option<Compared>,
    source: &'a str,
    is_cut: bool,
}

struct Made {
    notices: Vec<Notice>,
    view: PostingView,
    json_ld: Option<String>,
}

pub async fn show(visit: Visit) -> Answer {
    let client = visit.client(Scope::WRITERS)?;
    let first = client.prefixes.as_slice().first();
    let id = format!("{}preview", first.map_or("", |prefix| prefix.as_str()));
    page(&visit, Fields::with_values([("id", id)]), None)
}

pub async fn paste(visit: Visit, form: Form) -> Answer {
    let client = visit.client(Scope::WRITERS)?;
    match make(&visit, client, &form).await {
        Ok(made) => {
            let fields = Fields {
                values: form.values().clone(),
                ..Fields::default()
            };
            page(&visit, fields, Some(&made))
        }
        Err(failure) => page(&visit, form.refused(failure)?, None),
    }
}

fn page(visit: &Visit, fields: Fields, made: Option<&Made>) -> Answer {
    let view = made.map(|made| &made.view);
    let (source, is_source_cut) = text::cut(view.map_or("", PostingView::description));
    let texts = view.and_then(|view| view.texts.as_ref());
    let texts = texts.map(|texts| text::compare(&texts.markdown, &texts.redacted_markdown));
    let page = Page {
        frame: visit.frame_of_form(PATH, "Preview", &fields),
        fields,
        made,
        is_cut: is_source_cut || texts.as_ref().is_some_and(|texts| texts.is_cut),
        texts,
        source,
    };
    page.frame.answer(&page)
}

async fn make(visit: &Visit, client: &Client, form: &Form) -> Result<Made, Failure> {
    let (lifetime, now) = (visit.ports().lifetime, visit.now);
    let put = form.read(|fields| {
        let handling = match fields.text("lenient") {
            "" => Handling::Usual,
            _ => Handling::Lenient,
        };
        let id = utf8_percent_encode(fields.text("id"), NON_ALPHANUMERIC).to_string();
        let by = Principal::new(client.id, &client.prefixes);
        let new_id = PostingId::new(Uuid::now_v7());
        let body = fields.text("posting").as_bytes();
        let put = PutPosting::parse_as(&id, body, handling, by, new_id);
        let put = fields.take("posting", put.map_err(|error| reason(&error)))?;
        let allowed = client.prefixes.check(&put.identifier);
        fields.take("id", allowed).map(|()| put)
    })?;
    let store = &*visit.stores().store;
    let found = usecase::preview(store, &put, lifetime, now).await?;
    let (answer, submission) = found.map_err(|rejection| {
        let why = match &rejection {
            Rejection::Invalid(errors) => reason(&BodyError::Invalid(errors.clone())),
            other => other.to_string(),
        };
        Refusal::of_fields(vec![("posting".to_owned(), why)])
    })?;
    let made = web::block(move || preview(&submission, lifetime, now)).await;
    let made = made.map_err(Failure::broken)?;
    let (view, json_ld) = made.map_err(Failure::broken)?;
    Ok(Made {
        notices: answer.notices,
        view,
        json_ld,
    })
}

fn reason(error: &BodyError) -> String {
    let BodyError::Invalid(errors) = error else {
        return error.to_string();
    };
    let errors = errors.iter().flat_map(|(field, messages)| {
        let with_field = move |message: &String| format!("{field} {message}");
        messages.iter().map(with_field)
    });
    errors.collect::<Vec<_>>().join("; ")
}
