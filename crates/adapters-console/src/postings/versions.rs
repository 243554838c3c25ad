//! `/postings/{uuid}/versions`: values that changes replaced, and the form to restore them.

use access::Client;
use actix_web::web;
use askama::Template;
use domain::{
    posting::{AsOf, Posting, PostingVersion, PostingView},
    store::Texts,
    usecase::{Restoration, restore_version},
};
use kernel::Version;
use runtime::{COMMAND_PATIENCE, decide_again};
use serde_json::{Map, Value};

use super::{
    act,
    list::{CLIENTS, PATH},
    show::{self, plain},
};
use crate::{
    by::By,
    error::{Answer, Failure},
    form::{Fields, Form},
    page::Frame,
    text,
    visit::OperatorVisit,
};

const SHOWN: usize = 20;

#[derive(Template)]
#[template(path = "postings/versions.html")]
struct Page<'a> {
    frame: Frame,
    posting: &'a Posting,
    changes: Vec<Change>,
    older: Option<Version>,
    fields: Fields,
}

struct Change {
    version: Version,
    at: String,
    by: By,
    import: Option<String>,
    fields: Vec<(String, String, String)>,
}

pub async fn versions(visit: OperatorVisit, path: web::Path<String>) -> Answer {
    let before = visit.query().get("before").map(str::parse).transpose();
    let before = before.map_err(|_| Failure::Address)?;
    let view = show::find(&visit, &path).await?;
    page(&visit, &view, before, Fields::default()).await
}

async fn page(
    visit: &OperatorVisit,
    view: &PostingView,
    before: Option<Version>,
    fields: Fields,
) -> Answer {
    let (posting, stores) = (&view.posting, visit.stores());
    let identifier = &posting.source_identifier;
    let found = stores.postings.versions(identifier, before, SHOWN + 1);
    let mut versions = found.await?.ok_or(Failure::NotFound)?;
    let has_more = versions.len() > SHOWN;
    versions.truncate(SHOWN);
    let newest = match before {
        Some(before) => {
            let moment = AsOf::Version(before - 1);
            stores.postings.as_of(identifier, moment).await?
        }
        None => Some(view.clone()),
    };
    let clients = stores.clients.list(CLIENTS).await?;
    let title = format!("Versions of {}", posting.details.title);
    let frame = visit.frame_of_form(PATH, &title, &fields);
    let page = Page {
        frame: frame.saying(visit.done().map(|_| "The values are restored.")),
        posting,
        older: versions.last().filter(|_| has_more).map(|it| it.version),
        changes: changes(newest.as_ref(), &versions, &clients)?,
        fields,
    };
    page.frame.answer(&page)
}

/// Returns the changes, newest first. `newest` is the posting after the newest of these changes.
fn changes(
    newest: Option<&PostingView>,
    versions: &[PostingVersion],
    clients: &[Client],
) -> Result<Vec<Change>, Failure> {
    let mut known = newest.map(values).transpose()?.unwrap_or_default();
    let changes = versions.iter().map(|version| {
        let replaced = views::version::replaced(version);
        let fields = replaced.into_iter().map(|(name, before)| {
            let after = known.insert(name.to_owned(), before.clone());
            (
                name.to_owned(),
                plain(&before),
                plain(&after.unwrap_or_default()),
            )
        });
        Change {
            fields: fields.collect(),
            version: version.version,
            at: text::minute(version.at),
            by: By::actor(Some(&version.by), clients),
            import: version.import.map(|id| id.to_string()),
        }
    });
    Ok(changes.collect())
}

fn values(view: &PostingView) -> Result<Map<String, Value>, Failure> {
    let data = views::posting::Posting::new(view, Texts::All, None);
    let data = serde_json::to_value(data).map_err(Failure::broken)?;
    let Value::Object(mut values) = data else {
        return Ok(Map::new());
    };
    if let Some(Value::Object(pending)) = values.remove("pending") {
        values.extend(pending);
    }
    Ok(values)
}

pub async fn restore(visit: OperatorVisit, path: web::Path<String>, form: Form) -> Answer {
    let view = show::find(&visit, &path).await?;
    let done = restored(&visit, &view.posting, &form).await;
    let shown = async |refused| {
        let view = show::find(&visit, &path).await?;
        page(&visit, &view, None, refused).await
    };
    form.answer(done, shown).await
}

async fn restored(visit: &OperatorVisit, posting: &Posting, form: &Form) -> Answer {
    let order = form.read(|fields| {
        let reason = fields.reason();
        let seen = act::version(fields.text("seen"));
        let seen = fields.take("seen", seen);
        let version = act::version(fields.text("version"));
        let version = fields.take("version", version);
        Some(Restoration {
            identifier: posting.source_identifier.clone(),
            version: version?,
            reason: reason?,
            seen: Some(seen?),
            by: visit.by.clone(),
        })
    })?;
    let (store, reader) = (&*visit.stores().store, &*visit.stores().postings);
    let lifetime = visit.ports().lifetime;
    let attempt = || restore_version(store, reader, &order, lifetime, visit.now);
    decide_again(COMMAND_PATIENCE, attempt).await?;
    Ok(visit.lead(&format!("{PATH}/{}/versions", posting.id), "restore"))
}
