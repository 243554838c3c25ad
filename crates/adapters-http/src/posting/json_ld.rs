use actix_web::{
    HttpResponse,
    http::header::{ACCEPT, HeaderValue},
};
use domain::{
    posting::{AsOf, PostingView},
    store::{ListQuery, Texts},
};
use enrichment::{Identity, job_posting};
use kernel::Status;

use super::page;
use crate::{
    answer::{Answer, large},
    error::{ApiError, refusals},
    query::{Parameters, one_of},
    state::Appeal,
};

pub const MEDIA_TYPE: &str = "application/ld+json";

pub(super) fn take_identity(parameters: &mut Parameters<'_>) -> Identity {
    let parse = |text: &str| one_of(Identity::NAMES, Identity::parse(text));
    let identity = parameters.take("identity", parse);
    identity.unwrap_or(Identity::Hidden)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineForm {
    Json,
    JsonLd(Identity),
}

impl LineForm {
    pub(super) fn take(parameters: &mut Parameters<'_>) -> Self {
        let identity = take_identity(parameters);
        let form = parameters.take("form", |text| {
            let form = match text {
                "json" => Some(Self::Json),
                "jsonld" => Some(Self::JsonLd(identity)),
                _ => None,
            };
            one_of(&["json", "jsonld"], form)
        });
        form.unwrap_or(Self::Json)
    }

    /// For JSON-LD, limits the query to the needed texts and, by default, to approved postings.
    pub(super) fn narrow(self, asked: ListQuery) -> ListQuery {
        let Self::JsonLd(identity) = self else {
            return asked;
        };
        ListQuery {
            status: asked.status.or(Some(Status::Approved)),
            texts: match identity {
                Identity::Hidden => Texts::Redacted,
                Identity::Shown => Texts::All,
            },
            ..asked
        }
    }

    pub(super) fn lines(
        self,
        postings: &[PostingView],
        texts: Texts,
        appeal: Option<&str>,
    ) -> Result<Vec<u8>, serde_json::Error> {
        let Self::JsonLd(identity) = self else {
            return page::lines(postings, texts, appeal);
        };
        let jobs = postings
            .iter()
            .filter_map(|view| job_posting(view, identity));
        Ok(jobs.flat_map(|job| (job + "\n").into_bytes()).collect())
    }
}

pub(super) async fn one(
    view: PostingView,
    moment: Option<AsOf>,
    appeal: Appeal,
    identity: Identity,
    takes_json: bool,
) -> Answer {
    let (view, job) = large(page::size(&view), move || {
        let job = job_posting(&view, identity);
        (view, job)
    })
    .await?;
    match job {
        Some(job) => Ok(HttpResponse::Ok().content_type(MEDIA_TYPE).body(job)),
        None if takes_json => page::one(view, moment, appeal).await,
        None => Err(ApiError::not_acceptable()),
    }
}

refusals! {
    not_acceptable: NOT_ACCEPTABLE,
        "There is no application/ld+json of this posting: it is not approved, or has no texts yet. \
         Accept application/json, too.",
        VARY: HeaderValue::from(ACCEPT);
}
