//! What an operator decides about postings, one or many.

use std::collections::HashSet;

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::{
    posting::{Posting, PostingId, SourceIdentifier, Status, moderation::Moderation},
    usecase::ModerationError,
};
use uuid::Uuid;

use super::{list, show};
use crate::{
    error::Answer,
    form::{Form, Problem, Reader, Refusal},
    notice, page,
    session::SignedIn,
    state::State,
};

/// The most postings of one request.
pub const MOST_AT_ONCE: usize = 50;

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

/// The sentence about an action that was done, if the posting shows it: addresses can be forged.
pub fn did(action: &str, posting: &Posting) -> Option<&'static str> {
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
        _ => return None,
    };
    is_so.then_some(sentence)
}

impl From<ModerationError> for Problem {
    fn from(error: ModerationError) -> Self {
        match error {
            ModerationError::Rejected(why) => Refusal::conflict(why).into(),
            changed @ ModerationError::Changed { .. } => Refusal::conflict(changed).into(),
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
        "feature" => Some(Moderation::Feature(true)),
        "unfeature" => Some(Moderation::Feature(false)),
        _ => fields.unknown_action(),
    }
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
    let command = form.read(command)?;
    let (id, identifier) = (posting.id, &posting.source_identifier);
    let by = signed_in.attribution();
    let moderator = &state.ports.moderator;
    moderator.moderate(identifier, &command, None, &by).await?;
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
    let back = form.get("back").filter(|back| is_own(back));
    let back = back.unwrap_or("/postings");
    let chosen = form.read(|fields| {
        let (command, ids) = (command(fields), chosen(fields));
        Some((command?, ids?))
    });
    let (command, ids) = match chosen {
        Ok(chosen) => chosen,
        Err(refusal) => {
            let refused = form.refused(refusal.into())?;
            return list::page(&request, &state, back, refused).await;
        }
    };
    let known = state.ports.store.load_by_id(&ids).await?;
    let mut rows = Vec::with_capacity(ids.len());
    for id in ids {
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
        let outcome = decide(&state, &signed_in, &posting.source_identifier, &command).await;
        rows.push(Row {
            id,
            name: posting.details.title.clone(),
            outcome,
        });
    }
    let done = rows.iter().filter(|row| row.outcome.is_ok()).count();
    let page = Page {
        head: page::Head::new("Result"),
        frame: page::Frame::of(&request, "/postings")?,
        back: back.to_owned(),
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
) -> Result<String, String> {
    let by = signed_in.attribution();
    match state
        .ports
        .moderator
        .moderate(identifier, command, None, &by)
        .await
    {
        Ok(posting) => Ok(match command {
            Moderation::Feature(true) => "featured".to_owned(),
            Moderation::Feature(false) => "not featured".to_owned(),
            _ => posting.status.to_string(),
        }),
        Err(ModerationError::Rejected(why)) => Err(why.to_string()),
        Err(changed @ ModerationError::Changed { .. }) => Err(changed.to_string()),
        Err(ModerationError::Store(error)) => {
            tracing::warn!(%error, "a posting was not moderated");
            Err("not done: the store did not take it; try again".to_owned())
        }
    }
}

/// The chosen postings, each once.
fn chosen(fields: &mut Reader<'_>) -> Option<Vec<PostingId>> {
    let parse = |text: &str| Uuid::try_parse(text).map_err(|_| format!("{text:?} is no UUID"));
    let mut seen = HashSet::new();
    let mut ids = fields.take_all("id", parse)?;
    ids.retain(|id| seen.insert(*id));
    if ids.is_empty() {
        fields.refuse("id", "choose at least one posting");
        return None;
    }
    if ids.len() > MOST_AT_ONCE {
        fields.refuse("id", format!("choose {MOST_AT_ONCE} postings at most"));
        return None;
    }
    Some(ids.into_iter().map(PostingId::new).collect())
}

/// Whether an address is one of the list.
fn is_own(back: &str) -> bool {
    back == "/postings" || back.starts_with("/postings?")
}
