//! `/postings/{uuid}`: everything about one posting.

use std::collections::BTreeMap;

use actix_web::{HttpRequest, web};
use askama::Template;
use domain::{
    company::Company,
    decision::moderation::is_offered,
    posting::{Details, Posting, PostingView, Trigger},
};
use kernel::{Actor, PostingId, Status, Version};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{
    decided::Decided,
    list::{CLIENTS, PATH},
};
use crate::{
    by::By,
    error::{Answer, Failure},
    form::Fields,
    notice, page,
    state::State,
    text::{self, Compared},
};

/// The decisions about a status, by the names of their buttons.
const CHOICES: [(&str, Trigger); 4] = [
    ("reject", Trigger::RejectByOperator),
    ("expire", Trigger::Expire),
    ("reopen", Trigger::ReopenByOperator),
    ("approve", Trigger::ApproveByOperator),
];
/// The members of `metadata` that are shown.
const MOST_METADATA: usize = 200;

#[derive(Template)]
#[template(path = "postings/show.html")]
struct Page<'a> {
    head: page::Head,
    frame: page::Frame,
    id: PostingId,
    status: Status,
    reason: Option<&'a str>,
    moderated: bool,
    is_featured: bool,
    version: Version,
    /// The decisions to offer.
    may: Vec<&'static str>,
    redacted_title: Option<&'a str>,
    duplicate_of: Option<PostingId>,
    company: &'a Company,
    details: Vec<(&'static str, String)>,
    links: Vec<(&'static str, &'a str)>,
    decision: Option<Decided<'a>>,
    actors: [(&'static str, By); 2],
    metadata: Vec<(String, String)>,
    history: Vec<Step>,
    texts: Option<Compared>,
    source: &'a str,
    is_cut: bool,
    fields: &'a Fields,
}

/// A change of a posting.
pub struct Step {
    pub at: String,
    pub status: Status,
    pub by: By,
    pub reason: String,
}

/// The posting of an address.
pub async fn find(state: &State, id: &str) -> Result<PostingView, Failure> {
    let id = Uuid::try_parse(id).map_err(|_| Failure::NotFound)?;
    let known = state.ports.store.load_by_id(&[PostingId::new(id)]).await?;
    let identifier = known.postings.into_keys().next().ok_or(Failure::NotFound)?;
    let found = state.ports.postings.find(&identifier).await?;
    found.ok_or(Failure::NotFound)
}

/// The sentence about an action that was done, if the posting shows it: addresses can be forged.
fn did(action: &str, posting: &Posting) -> Option<&'static str> {
    let (sentence, is_so) = match action {
        "approve" => (
            "The posting is approved.",
            posting.status == Status::Approved,
        ),
        "reject" => (
            "The posting is rejected.",
            posting.status == Status::Rejected,
        ),
        "feature" => ("The posting is featured.", posting.is_featured),
        "unfeature" => ("The posting is not featured.", !posting.is_featured),
        "expire" => (
            "The posting is taken down.",
            posting.status == Status::Expired,
        ),
        "reopen" => ("The posting is reopened.", posting.status.is_open()),
        _ => return None,
    };
    is_so.then_some(sentence)
}

/// One posting.
pub async fn show(
    request: HttpRequest,
    path: web::Path<String>,
    state: web::Data<State>,
) -> Answer {
    one(&request, &state, &path, Fields::default()).await
}

/// One posting, and the form that decides about it.
pub async fn one(request: &HttpRequest, state: &State, id: &str, fields: Fields) -> Answer {
    let mut frame = page::Frame::of_form(request, PATH, &fields)?;
    let view = find(state, id).await?;
    let posting = &view.posting;
    frame.notice = notice::done(request)?
        .and_then(|action| did(&action, posting))
        .map(str::to_owned);
    let (source, is_source_cut) = text::cut(view.description());
    let clients = state.ports.clients.list(CLIENTS).await?;
    let texts = view.texts.as_ref();
    let compared = texts.map(|texts| text::compare(&texts.markdown, &texts.redacted_markdown));
    let page = Page {
        head: page::Head::new(&*posting.details.title),
        frame,
        id: posting.id,
        status: posting.status,
        reason: posting.status_reason.as_deref(),
        moderated: posting.moderated,
        is_featured: posting.is_featured,
        version: posting.version,
        may: CHOICES
            .iter()
            .filter(|(_, command)| is_offered(*command, posting))
            .map(|(name, _)| *name)
            .collect(),
        redacted_title: texts.and_then(|texts| texts.redacted_title.as_deref()),
        duplicate_of: posting.duplicate_of.as_ref().map(|original| original.id),
        company: &view.company.company,
        details: details(&view),
        links: links(&view),
        decision: view
            .decision
            .as_ref()
            .map(|decision| Decided::new(decision, state.appeal.as_deref())),
        actors: [
            ("Created by", By::of(posting.created_by.as_ref(), &clients)),
            ("Updated by", By::of(posting.updated_by.as_ref(), &clients)),
        ],
        metadata: metadata(posting),
        history: steps(&view, |actor| By::of(Some(actor), &clients)),
        is_cut: is_source_cut || compared.as_ref().is_some_and(|texts| texts.is_cut),
        texts: compared,
        source,
        fields: &fields,
    };
    page::answer(&page, fields.status())
}

/// The history, the newest first.
pub fn steps(view: &PostingView, by: impl Fn(&Actor) -> By) -> Vec<Step> {
    let newest = view.history.iter().rev();
    let steps = newest.map(|entry| Step {
        at: text::minute(entry.at),
        status: entry.status,
        by: by(&entry.by),
        reason: entry.reason.clone().unwrap_or_default(),
    });
    steps.collect()
}

pub fn details(view: &PostingView) -> Vec<(&'static str, String)> {
    let (posting, details) = (&view.posting, &view.posting.details);
    let coordinates = view
        .coordinates
        .map(|at| format!("{}, {}", at.latitude, at.longitude));
    let fields = [
        ("Identifier", posting.source_identifier.to_string()),
        ("UUID", posting.id.to_string()),
        ("Version", posting.version.to_string()),
        (
            "Logo",
            view.company.company.logo_path.clone().unwrap_or_default(),
        ),
        ("Employment", joined(&details.employment_types)),
        ("Place", place(details)),
        ("Coordinates", coordinates.unwrap_or_default()),
        ("Salary", salary(details)),
        (
            "Apply by e-mail",
            details.application_email.clone().unwrap_or_default(),
        ),
        ("Created", text::minute(posting.created_at)),
        ("Updated", text::minute(posting.updated_at)),
        ("Published", text::optional_minute(posting.published_at)),
        ("Ends", text::optional_minute(posting.expire_at)),
        ("Expired", text::optional_minute(posting.expired_at)),
        (
            "Expiration reason",
            details.expiration_reason.clone().unwrap_or_default(),
        ),
    ];
    fields
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .collect()
}

/// The members of `metadata`: names, and values as they were sent; strings without quotes.
fn metadata(posting: &Posting) -> Vec<(String, String)> {
    let json = posting
        .details
        .metadata
        .as_ref()
        .map_or("{}", |json| json.as_str());
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(json).unwrap_or_default();
    let members = members.into_iter().take(MOST_METADATA);
    let shown = members.map(|(name, value)| {
        let text = serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned());
        (name, text::cut(&text).0.to_owned())
    });
    shown.collect()
}

/// Addresses of others.
pub fn links(view: &PostingView) -> Vec<(&'static str, &str)> {
    let apply = view.posting.details.application_url.as_deref();
    let links = [
        ("Website", Some(view.company.company.website.as_str())),
        ("Apply at", apply),
    ];
    let links = links.into_iter();
    links
        .filter_map(|(name, url)| Some((name, url.filter(|url| text::is_web(url))?)))
        .collect()
}

fn joined(values: &[impl ToString]) -> String {
    let values: Vec<_> = values.iter().map(ToString::to_string).collect();
    values.join(", ")
}

fn place(details: &Details) -> String {
    let country = details
        .location_country_code
        .map(|code| code.as_str().to_owned());
    let kinds = joined(&details.location_types);
    let parts = [
        details.location_city.clone(),
        country,
        (!kinds.is_empty()).then_some(kinds),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn salary(details: &Details) -> String {
    let amount = |amount: Option<i64>| amount.map(|amount| amount.to_string());
    let range = match (amount(details.salary_min), amount(details.salary_max)) {
        (None, None) => return String::new(),
        (Some(min), None) => format!("from {min}"),
        (None, Some(max)) => format!("up to {max}"),
        (Some(min), Some(max)) => format!("{min} – {max}"),
    };
    let currency = details
        .salary_currency_code
        .map(|code| code.as_str().to_owned());
    let period = details.salary_period.map(|period| period.to_string());
    [Some(range), currency, period]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}
