//! `/duplicates`: duplicates beside their originals, and the form to distinguish them.

use askama::Template;
use domain::{
    browse::{Place, WindowOrder},
    posting::{Original, PostingView},
    store::Position,
    usecase::tell_postings_apart,
};
use kernel::SourceIdentifier;
use runtime::{COMMAND_PATIENCE, decide_again};

use crate::{
    error::{Answer, Failure},
    form::{Fields, Form, Reader},
    page::Frame,
    postings::list::{cursor, place},
    text,
    visit::OperatorVisit,
};

pub const PATH: &str = "/duplicates";
const PAGE: usize = 10;

#[derive(Template)]
#[template(path = "duplicates.html")]
struct Page {
    frame: Frame,
    pairs: Vec<[Shown; 2]>,
    next: Option<String>,
}

struct Shown {
    view: PostingView,
    text: String,
    is_cut: bool,
}

impl Shown {
    fn of(view: PostingView) -> Self {
        let texts = view.texts.as_ref();
        let (text, is_cut) = texts
            .map(|texts| text::prose(&texts.markdown))
            .unwrap_or_default();
        Self { view, text, is_cut }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let (posting, details) = (&self.view.posting, &self.view.posting.details);
        let employment = details.employment_types.iter().map(ToString::to_string);
        text::stated([
            ("Identifier", posting.source_identifier.to_string()),
            ("Company", self.view.company.company.name.clone()),
            ("Place", details.place()),
            ("Salary", details.salary()),
            ("Employment", employment.collect::<Vec<_>>().join(", ")),
            ("Created (UTC)", text::minute(posting.created_at)),
        ])
    }
}

pub async fn list(visit: OperatorVisit) -> Answer {
    page(&visit, Fields::default()).await
}

async fn page(visit: &OperatorVisit, refused: Fields) -> Answer {
    let (query, stores) = (visit.query(), visit.stores());
    let before = match query.get("after").map(place).transpose()? {
        Some(Place::Newest(position)) => Some(position),
        Some(Place::Identifier(_)) => return Err(Failure::Address),
        None => None,
    };
    let order = WindowOrder::Copies { before };
    let mut rows = stores.browser.window(&order, PAGE + 1).await?;
    let next = query.next(PATH, "after", (&mut rows, PAGE), |last| {
        let (updated_at, id) = (last.updated_at, last.id.uuid());
        cursor(&Place::Newest(Position { updated_at, id }))
    });
    let mut pairs = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(Original {
            source_identifier, ..
        }) = row.duplicate_of
        else {
            continue;
        };
        let original = stores.postings.find(&source_identifier).await?;
        let copy = stores.postings.find(&row.source_identifier).await?;
        // Either posting may be gone.
        if let (Some(original), Some(copy)) = (original, copy) {
            pairs.push([original, copy].map(Shown::of));
        }
    }
    let done = visit.done();
    let page = Page {
        frame: visit
            .frame_of_form(PATH, "Duplicates", &refused)
            .saying(done.map(|_| "The postings are two openings; the mark is removed soon.")),
        pairs,
        next,
    };
    page.frame.answer(&page)
}

pub async fn tell_apart(visit: OperatorVisit, form: Form) -> Answer {
    let done = carry_out(&visit, &form).await;
    form.answer(done, async |refused| page(&visit, refused).await)
        .await
}

async fn carry_out(visit: &OperatorVisit, form: &Form) -> Answer {
    let identifier = |fields: &mut Reader<'_>, name: &str| {
        let identifier = SourceIdentifier::new(fields.text(name));
        fields.take(name, identifier)
    };
    let (original, copy) = form.read(|fields| {
        let (original, copy) = (identifier(fields, "original"), identifier(fields, "copy"));
        Some((original?, copy?))
    })?;
    let store = &*visit.stores().store;
    let attempt = || tell_postings_apart(store, [&copy, &original], &visit.by, visit.now);
    if decide_again(COMMAND_PATIENCE, attempt).await? {
        Ok(visit.lead(PATH, "apart"))
    } else {
        Err(Failure::NotFound)
    }
}
