//! What an operator decides about postings, one or many.

use std::collections::HashSet;

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::{
    posting::{Posting, moderation::Moderation},
    usecase::ModerationError,
};
use kernel::{PostingId, SourceIdentifier, Version};
use uuid::Uuid;

use super::{
    list::{self, MOST_AT_ONCE, VERSION},
    show,
};
use crate::{
    error::Answer,
    form::{Form, Problem, Reader, Refusal},
    notice, page,
    query::Query,
    session::SignedIn,
    state::State,
    text,
};

#[derive(Template)]
#[template(path = "postings/done.html")]
struct Page {
    head: page::Head,
    frame: page::Frame,
    rows: Vec<Row>,
    done: usize,
    back: String,
}

struct Row {
    id: PostingId,
    name: String,
    outcome: Result<String, String>,
}

impl From<ModerationError> for Problem {
    fn from(error: ModerationError) -> Self {
        match error {
            ModerationError::Rejected(why) => Refusal::conflict(why).into(),
            ModerationError::Changed { seen, current } => Refusal::conflict(format!(
                "The posting has changed meanwhile. Here is its version {current}; you decided on \
                 version {seen}."
            ))
            .into(),
            ModerationError::Store(error) => error.into(),
        }
    }
}

/// The command of a form.
fn command(fields: &mut Reader<'_>) -> Option<Moderation> {
    match fields.text("action") {
        "approve" => Some(Moderation::Approve),
        "reject" => fields.reason().map(|reason| Moderation::Reject { reason }),
        "expire" => fields.reason().map(|reason| Moderation::Expire { reason }),
        "reopen" => fields.reason().map(|reason| Moderation::Reopen { reason }),
        "feature" => Some(Moderation::Feature(true)),
        "unfeature" => Some(Moderation::Feature(false)),
        _ => fields.unknown_action(),
    }
}

/// The version of a posting that a page has shown.
fn version(text: &str) -> Result<Version, String> {
    let version = text.parse();
    version.map_err(|_| format!("{text:?} is no version of a posting; look at it again"))
}

/// A form about one posting.
pub async fn on_one(
    request: HttpRequest,
    path: web::Path<String>,
    payload: web::Payload,
    state: web::Data<State>,
) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    let view = show::find(&state, &path).await?;
    match moderate(&state, &signed_in, &view.posting, &form).await {
        Ok(response) => Ok(response),
        Err(problem) => show::one(&request, &state, &path, form.refused(problem)?).await,
    }
}

async fn moderate(
    state: &State,
    signed_in: &SignedIn,
    posting: &Posting,
    form: &Form,
) -> Result<HttpResponse, Problem> {
    let (command, seen) = form.read(|fields| {
        let (command, seen) = (command(fields), version(fields.text("version")));
        let seen = fields.take("version", seen);
        Some((command?, seen?))
    })?;
    let (id, identifier) = (posting.id, &posting.source_identifier);
    let by = signed_in.attribution();
    let moderator = &state.ports.moderator;
    moderator
        .moderate(identifier, &command, Some(seen), &by)
        .await?;
    let action = form.get("action").unwrap_or_default();
    Ok(notice::lead(signed_in, &format!("/postings/{id}"), action))
}

/// A form about the chosen postings of a list: each is decided by itself, and has its result.
pub async fn on_many(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    let back = form.get("back").and_then(|back| back.split_once('?'));
    let back = Query::parse(back.map_or("", |(_, query)| query)).address(list::PATH);
    let chosen = form.read(|fields| {
        let (command, chosen) = (command(fields), chosen(fields));
        Some((command?, chosen?))
    });
    let (command, chosen) = match chosen {
        Ok(chosen) => chosen,
        Err(refusal) => {
            let refused = form.refused(refusal.into())?;
            return list::page(&request, &state, &back, refused).await;
        }
    };
    let ids: Vec<_> = chosen.iter().map(|(id, _)| *id).collect();
    let known = state.ports.store.load_by_id(&ids).await?;
    let mut rows = Vec::with_capacity(chosen.len());
    for (id, seen) in chosen {
        let posting = known.postings.values().find(|posting| posting.id == id);
        let Some(posting) = posting else {
            let outcome = Err("there is no such posting".to_owned());
            rows.push(Row {
                id,
                name: id.to_string(),
                outcome,
            });
            continue;
        };
        let identifier = &posting.source_identifier;
        let outcome = decide(&state, &signed_in, identifier, &command, seen).await;
        rows.push(Row {
            id,
            name: posting.details.title.clone(),
            outcome,
        });
    }
    let done = rows.iter().filter(|row| row.outcome.is_ok()).count();
    if done == rows.len() {
        return Ok(notice::lead(&signed_in, &back, &done.to_string()));
    }
    let page = Page {
        head: page::Head::new("Result"),
        frame: page::Frame::of(&request, "/postings")?,
        back,
        rows,
        done,
    };
    page::answer(&page, 200)
}

/// Decides about one of many. That the store is away ends with a line as well: those before it are
/// done.
async fn decide(
    state: &State,
    signed_in: &SignedIn,
    identifier: &SourceIdentifier,
    command: &Moderation,
    seen: Version,
) -> Result<String, String> {
    let (by, moderator) = (signed_in.attribution(), &state.ports.moderator);
    let decided = moderator.moderate(identifier, command, Some(seen), &by);
    match decided.await {
        Ok(posting) => Ok(match command {
            Moderation::Feature(true) => "featured".to_owned(),
            Moderation::Feature(false) => "not featured".to_owned(),
            _ => text::status(posting.status).to_owned(),
        }),
        Err(ModerationError::Rejected(why)) => Err(why.to_string()),
        Err(changed @ ModerationError::Changed { .. }) => Err(changed.to_string()),
        Err(ModerationError::Store(error)) => {
            tracing::warn!(%error, "a posting was not moderated");
            Err("not done: the store did not take it; try again".to_owned())
        }
    }
}

/// The chosen postings, each once, with the versions that the list has shown.
fn chosen(fields: &mut Reader<'_>) -> Option<Vec<(PostingId, Version)>> {
    let parse = |text: &str| {
        let (id, seen) = text.split_once(VERSION).unwrap_or((text, ""));
        let id = Uuid::try_parse(id).map_err(|_| format!("{id:?} is no UUID"))?;
        Ok::<_, String>((PostingId::new(id), version(seen)?))
    };
    let mut known = HashSet::new();
    let mut chosen = fields.take_all("id", parse)?;
    chosen.retain(|(id, _)| known.insert(*id));
    if chosen.is_empty() {
        fields.refuse("id", "choose at least one posting");
        return None;
    }
    if chosen.len() > MOST_AT_ONCE {
        fields.refuse("id", format!("choose {MOST_AT_ONCE} postings at most"));
        return None;
    }
    Some(chosen)
}
