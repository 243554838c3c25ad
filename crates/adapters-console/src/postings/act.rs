//! What an operator decides about postings, one or many.

use std::collections::HashSet;

use actix_web::{HttpRequest, http::StatusCode, web};
use askama::Template;
use domain::{
    posting::{Posting, PostingId, SourceIdentifier, Status, moderation::Moderation},
    usecase::ModerationError,
};
use uuid::Uuid;

use super::show;
use crate::{
    error::{Answer, Failure},
    form::Form,
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

/// The command of a form.
fn command(form: &Form) -> Result<Moderation, Failure> {
    match form.get("action") {
        Some("approve") => Ok(Moderation::Approve),
        Some("reject") => Ok(Moderation::Reject {
            reason: form.reason()?,
        }),
        Some("expire") => Ok(Moderation::Expire {
            reason: form.reason()?,
        }),
        Some("feature") => Ok(Moderation::Feature(true)),
        Some("unfeature") => Ok(Moderation::Feature(false)),
        _ => Err(Failure::field("action: must be one of those on the page")),
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
    let command = command(&form)?;
    let view = show::find(&state, &path).await?;
    let (id, identifier) = (view.posting.id, view.posting.source_identifier);
    let by = signed_in.attribution();
    let moderated = state
        .ports
        .moderator
        .moderate(&identifier, &command, None, &by)
        .await;
    moderated.map_err(|error| match error {
        ModerationError::Rejected(why) => Failure::conflict(why),
        changed @ ModerationError::Changed { .. } => Failure::conflict(changed),
        ModerationError::Store(error) => error.into(),
    })?;
    let action = form.get("action").unwrap_or_default();
    Ok(notice::lead(&signed_in, &format!("/postings/{id}"), action))
}

/// A form about the chosen postings of a list: each is decided by itself, and has its result.
pub async fn on_many(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    let command = command(&form)?;
    let ids = chosen(&form)?;
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
    let back = form.get("back").filter(|back| is_own(back));
    let page = Page {
        head: page::Head::new("Result"),
        frame: page::Frame::of(&request, "/postings")?,
        back: back.unwrap_or("/postings").to_owned(),
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
fn chosen(form: &Form) -> Result<Vec<PostingId>, Failure> {
    let mut seen = HashSet::new();
    let mut ids = Vec::new();
    for text in form.all("id") {
        let id = Uuid::try_parse(text);
        let id = id.map_err(|_| Failure::field(format!("id: {text:?} is no UUID")))?;
        if seen.insert(id) {
            ids.push(PostingId::new(id));
        }
    }
    if ids.is_empty() {
        return Err(Failure::field("No posting is chosen."));
    }
    if ids.len() > MOST_AT_ONCE {
        let message = format!("At most {MOST_AT_ONCE} postings can be chosen at once.");
        return Err(Failure::Refused(StatusCode::UNPROCESSABLE_ENTITY, message));
    }
    Ok(ids)
}

/// Whether an address is one of the list.
fn is_own(back: &str) -> bool {
    back == "/postings" || back.starts_with("/postings?")
}
