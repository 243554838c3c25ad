//! Operators' decisions about one or many postings.

use std::collections::HashSet;

use ::fields::line;
use actix_web::web;
use askama::Template;
use domain::{
    posting::{Ground, Posting, moderation::Moderation},
    usecase::{self, ModerationError, ObjectionAnswer},
};
use kernel::{PostingId, SourceIdentifier, Version};
use runtime::{COMMAND_PATIENCE, decide_again};
use uuid::Uuid;

use super::{
    list::{self, MOST_AT_ONCE, PATH, VERSION},
    show,
};
use crate::{
    error::{Answer, Failure, Refusal},
    form::{Form, Reader},
    page::Frame,
    query::Query,
    text,
    visit::OperatorVisit,
};

#[derive(Template)]
#[template(path = "postings/done.html")]
struct Page {
    frame: Frame,
    rows: Vec<Row>,
    done: usize,
    back: String,
}

struct Row {
    id: PostingId,
    name: String,
    outcome: Result<String, String>,
}

impl From<ModerationError> for Failure {
    fn from(error: ModerationError) -> Self {
        match error {
            ModerationError::Changed { seen, current } => Refusal::conflict(format_args!(
                "The posting has changed meanwhile. Here is its version {current}; you decided on \
                 version {seen}."
            )),
            ModerationError::Store(error) => error.into(),
            refused => Refusal::conflict(refused),
        }
    }
}

fn command(fields: &mut Reader<'_>) -> Option<Moderation> {
    match fields.text("action") {
        "approve" => Some(Moderation::Approve),
        "reject" => statement(fields).map(|(reason, ground)| Moderation::Reject { reason, ground }),
        "expire" => statement(fields).map(|(reason, ground)| Moderation::Expire { reason, ground }),
        "reopen" => fields.reason().map(|reason| Moderation::Reopen { reason }),
        "feature" => Some(Moderation::Feature(true)),
        "unfeature" => Some(Moderation::Feature(false)),
        _ => fields.unknown_action(),
    }
}

pub fn statement(fields: &mut Reader<'_>) -> Option<(String, Ground)> {
    let reason = fields.reason();
    let ground = match fields.text("ground") {
        "" => Ok(Ground::default()),
        name => Ground::parse(name).ok_or("must be terms or law"),
    };
    let ground = fields.take("ground", ground);
    Some((reason?, ground?))
}

pub fn version(text: &str) -> Result<Version, String> {
    let version = text.parse();
    version.map_err(|_| format!("{text:?} is not a version of a posting; look at it again"))
}

pub async fn on_one(visit: OperatorVisit, path: web::Path<String>, form: Form) -> Answer {
    let view = show::find(&visit, &path).await?;
    let done = moderate(&visit, &view.posting, &form).await;
    let page = async |refused| {
        let view = show::find(&visit, &path).await?;
        show::one(&visit, &view, refused).await
    };
    form.answer(done, page).await
}

async fn moderate(visit: &OperatorVisit, posting: &Posting, form: &Form) -> Answer {
    if let Some(action @ ("uphold" | "reverse")) = form.get("action") {
        return answer(visit, posting, form, action).await;
    }
    let (command, seen) = form.read(|fields| {
        let (command, seen) = (command(fields), version(fields.text("version")));
        let seen = fields.take("version", seen);
        Some((command?, seen?))
    })?;
    decide(visit, &posting.source_identifier, &command, seen).await?;
    let action = form.get("action").unwrap_or_default();
    Ok(visit.lead(&format!("{PATH}/{}", posting.id), action))
}

async fn answer(visit: &OperatorVisit, posting: &Posting, form: &Form, action: &str) -> Answer {
    let (sentence, seen) = form.read(|fields| {
        let sentence = line::reason(fields.text("answer")).map(str::to_owned);
        let sentence = fields.take("answer", sentence);
        let seen = version(fields.text("version"));
        let seen = fields.take("version", seen);
        Some((sentence?, seen?))
    })?;
    let given = ObjectionAnswer {
        reverses: action == "reverse",
        sentence,
    };
    let (stores, by, now) = (visit.stores(), &visit.by, visit.now);
    let ports = (&*stores.store, &*stores.postings);
    let (id, lifetime) = (&posting.source_identifier, visit.ports().lifetime);
    let attempt = || usecase::answer_objection(ports, id, &given, Some(seen), by, lifetime, now);
    decide_again(COMMAND_PATIENCE, attempt).await?;
    Ok(visit.lead(&format!("{PATH}/{}", posting.id), action))
}

/// Handles a form about the chosen postings of a list: each posting is decided separately, with its
/// own result.
pub async fn on_many(visit: OperatorVisit, form: Form) -> Answer {
    let back = form.get("back").and_then(|back| back.split_once('?'));
    let back = Query::parse(back.map_or("", |(_, query)| query)).address(PATH);
    let read = form.read(|fields| {
        let (command, chosen) = (command(fields), chosen(fields));
        Some((command?, chosen?))
    });
    let (command, chosen) = match read {
        Ok(read) => read,
        Err(failure) => {
            let refused = form.refused(failure)?;
            return list::page(&visit, &back, refused).await;
        }
    };
    let ids: Vec<_> = chosen.iter().map(|(id, _)| *id).collect();
    let known = visit.stores().store.load_by_id(&ids).await?.postings;
    let mut rows = Vec::with_capacity(chosen.len());
    for (id, seen) in chosen {
        rows.push(match known.values().find(|posting| posting.id == id) {
            Some(posting) => Row {
                id,
                name: posting.details.title.clone(),
                outcome: decide_one(&visit, &posting.source_identifier, &command, seen).await,
            },
            None => Row {
                id,
                name: id.to_string(),
                outcome: Err("there is no such posting".to_owned()),
            },
        });
    }
    let done = rows.iter().filter(|row| row.outcome.is_ok()).count();
    if done == rows.len() {
        return Ok(visit.lead(&back, &done.to_string()));
    }
    let page = Page {
        frame: visit.frame(PATH, "Result"),
        back,
        rows,
        done,
    };
    page.frame.answer(&page)
}

async fn decide(
    visit: &OperatorVisit,
    identifier: &SourceIdentifier,
    command: &Moderation,
    seen: Version,
) -> Result<Posting, ModerationError> {
    let (store, by, now) = (&*visit.stores().store, &visit.by, visit.now);
    let lifetime = visit.ports().lifetime;
    let attempt = || usecase::moderate(store, identifier, command, Some(seen), by, lifetime, now);
    decide_again(COMMAND_PATIENCE, attempt).await
}

/// Decides about one of many postings, and returns the result as a text. If the store becomes
/// unavailable, earlier decisions stay.
async fn decide_one(
    visit: &OperatorVisit,
    identifier: &SourceIdentifier,
    command: &Moderation,
    seen: Version,
) -> Result<String, String> {
    match decide(visit, identifier, command, seen).await {
        Ok(posting) => Ok(match command {
            Moderation::Feature(true) => "featured".to_owned(),
            Moderation::Feature(false) => "not featured".to_owned(),
            _ => text::status(posting.status()).to_owned(),
        }),
        Err(ModerationError::Store(error)) => {
            tracing::warn!(%error, "a posting was not moderated");
            Err("not done: the store did not accept it; retry".to_owned())
        }
        Err(refused) => Err(refused.to_string()),
    }
}

/// The chosen postings, each once, with the versions shown in the list.
fn chosen(fields: &mut Reader<'_>) -> Option<Vec<(PostingId, Version)>> {
    let parse = |text: &str| {
        let (id, seen) = text.split_once(VERSION).unwrap_or((text, ""));
        let id = Uuid::try_parse(id).map_err(|_| format!("{id:?} is not a UUID"))?;
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
