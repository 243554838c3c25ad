use std::collections::BTreeMap;

use access::Client;
use actix_web::web;
use askama::Template;
use domain::posting::{DESCRIPTION, Location, Locations, Pending, Posting, PostingView, Trigger};
use fields::DayOrTime;
use kernel::{Actor, PostingId};
use serde_json::{Value, value::RawValue};
use uuid::Uuid;

use super::list::{CLIENTS, PATH};
use crate::{
    by::By,
    error::{Answer, Failure},
    form::Fields,
    page::Frame,
    text::{self, Compared},
    visit::{OperatorVisit, Visit},
};

const CHOICES: [(&str, Trigger); 4] = [
    ("reject", Trigger::RejectByOperator),
    ("expire", Trigger::ExpireByOperator),
    ("reopen", Trigger::ReopenByOperator),
    ("approve", Trigger::ApproveByOperator),
];
const MOST_METADATA: usize = 200;

#[derive(Template)]
#[template(path = "postings/show.html")]
struct Page<'a> {
    frame: Frame,
    view: &'a PostingView,
    holder: Actor,
    clients: Vec<Client>,
    appeal: Option<&'a str>,
    texts: Option<Compared>,
    source: &'a str,
    is_cut: bool,
    fields: Fields,
}

impl Page<'_> {
    fn may(&self, name: &str) -> bool {
        let mut choices = CHOICES.iter();
        let choice = choices.find(|(choice, _)| *choice == name);
        choice.is_some_and(|(_, trigger)| trigger.is_offered(self.view.posting.state()))
    }

    fn by(&self, actor: Option<&Actor>) -> By {
        match actor {
            _ if self.frame.is_console() => By::actor(actor, &self.clients),
            Some(actor) if *actor == self.holder => By::named(&self.frame.who),
            Some(actor) => By::unlinked(actor),
            None => By::named(""),
        }
    }
}

pub async fn find(visit: &OperatorVisit, id: &str) -> Result<PostingView, Failure> {
    let id = Uuid::try_parse(id).map_err(|_| Failure::NotFound)?;
    let store = &visit.stores().store;
    let known = store.load_by_id(&[PostingId::new(id)]).await?;
    let identifier = known.postings.into_keys().next().ok_or(Failure::NotFound)?;
    let found = visit.stores().postings.find(&identifier).await?;
    found.ok_or(Failure::NotFound)
}

fn did(action: &str) -> Option<&'static str> {
    Some(match action {
        "approve" => "The posting is approved.",
        "reject" => "The posting is rejected.",
        "feature" => "The posting is featured.",
        "unfeature" => "The posting is not featured.",
        "expire" => "The posting is taken down.",
        "reopen" => "The posting is reopened.",
        "object" => "The objection is sent.",
        "uphold" => "The objection is answered: the decision is upheld.",
        "reverse" => "The objection is answered: the decision is reversed.",
        _ => return None,
    })
}

pub async fn show(visit: OperatorVisit, path: web::Path<String>) -> Answer {
    let view = find(&visit, &path).await?;
    one(&visit, &view, Fields::default()).await
}

pub async fn one(visit: &Visit, view: &PostingView, fields: Fields) -> Answer {
    let title = &*view.posting.details.title;
    let frame = visit.frame_of_form(PATH, title, &fields);
    let (source, is_source_cut) = text::cut(view.description());
    let texts = view.texts.as_ref();
    let texts = texts.map(|texts| text::compare(&texts.markdown, &texts.redacted_markdown));
    let ports = visit.ports();
    let page = Page {
        holder: visit.session.holder.actor(),
        clients: if frame.is_console() {
            ports.stores.clients.list(CLIENTS).await?
        } else {
            Vec::new()
        },
        frame: frame.saying(visit.done().as_deref().and_then(did)),
        view,
        appeal: ports.appeal.as_deref(),
        is_cut: is_source_cut || texts.as_ref().is_some_and(|texts| texts.is_cut),
        texts,
        source,
        fields,
    };
    page.frame.answer(&page)
}

fn details(view: &PostingView) -> Vec<(&'static str, String)> {
    let (posting, details) = (&view.posting, &view.posting.details);
    let coordinates = view
        .coordinates
        .map(|at| format!("{}, {}", at.latitude, at.longitude));
    let employment = details.employment_types.iter().map(ToString::to_string);
    let places = details.locations.iter().flat_map(Locations::as_slice);
    let places = places.map(Location::words);
    let date = |date: Option<DayOrTime>| date.map(|date| date.to_string()).unwrap_or_default();
    text::stated([
        ("Identifier", posting.source_identifier.to_string()),
        ("UUID", posting.id.to_string()),
        ("Version", posting.version.to_string()),
        (
            "Logo",
            view.company.company.logo_path.clone().unwrap_or_default(),
        ),
        ("Employment", employment.collect::<Vec<_>>().join(", ")),
        ("Place", details.place()),
        ("Coordinates", coordinates.unwrap_or_default()),
        ("All places", places.collect::<Vec<_>>().join("; ")),
        ("Salary", details.salary()),
        (
            "Apply by e-mail",
            details.application_email.clone().unwrap_or_default(),
        ),
        (
            "Requisition",
            details.requisition_id.clone().unwrap_or_default(),
        ),
        ("Posted at the source", date(details.date_posted)),
        ("Closing date", date(details.valid_through)),
        ("Created", text::minute(posting.created_at)),
        ("Updated", text::minute(posting.updated_at)),
        ("Published", text::optional_minute(posting.published_at)),
        ("Ends", text::optional_minute(posting.expire_at)),
        ("Expired", text::optional_minute(posting.expired_at())),
        (
            "Expiration reason",
            details.expiration_reason.clone().unwrap_or_default(),
        ),
    ])
}

/// Fields that wait for a verdict: name, shown value and pushed value.
fn waiting(view: &PostingView, pending: &Pending) -> Vec<(String, String, String)> {
    let (shown, details) = (&view.posting.details, &pending.values);
    let shown = serde_json::to_value(shown).unwrap_or_default();
    let mut rows: Vec<_> = details
        .iter()
        .filter(|(name, _)| *name != DESCRIPTION)
        .map(|(name, pushed)| (name.to_owned(), plain(&shown[name]), plain(pushed)))
        .collect();
    if let Some(pushed) = &pending.description {
        let [shown, pushed] = [view.description(), pushed].map(|it| text::cut(it).0.to_owned());
        rows.push((DESCRIPTION.to_owned(), shown, pushed));
    }
    if let Some(pushed) = &pending.company {
        let [shown, pushed] = [&view.company, pushed].map(|it| it.company.name.clone());
        rows.push(("company".to_owned(), shown, pushed));
    }
    rows
}

pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text::cut(text).0.to_owned(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(object) => match object.get("name") {
            Some(Value::String(name)) => name.clone(),
            _ => value.to_string(),
        },
        other => other.to_string(),
    }
}

/// The members of `metadata`: names, and values as sent; strings without quotes.
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

fn links(view: &PostingView) -> Vec<(&'static str, &str)> {
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
