//! The versions of a posting: the values that each change replaced.

use domain::posting::{COMPANY, DESCRIPTION, Metadata, Original, PostingVersion, State, TEXTS};
use serde::Serialize;
use serde_json::{Map, Value, json};
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{company::Company, json::Timestamp, posting::Status, view};

/// A page of the versions of a posting.
#[derive(Serialize, ToSchema)]
#[schema(as = VersionPage)]
pub struct VersionPageAnswer<'a> {
    data: Vec<Version<'a>>,
    /// Send this text as `cursor` to get the next page; `null` on the last page.
    next_cursor: Option<String>,
}

impl<'a> VersionPageAnswer<'a> {
    #[must_use]
    pub fn new(versions: &'a [PostingVersion], has_more: bool) -> Self {
        let last = versions.last().filter(|_| has_more);
        Self {
            data: versions.iter().map(Version::new).collect(),
            next_cursor: last.map(|it| it.version.to_string()),
        }
    }
}

view! {
    /// A change of a posting, with the replaced values.
    #[derive(Serialize, ToSchema)]
    #[expect(clippy::struct_field_names, reason = "the field is the name in the answer")]
    pub struct Version<'a>(version: &'a PostingVersion) {
        /// The version that the change created.
        #[schema(minimum = 2)]
        version: i64 = version.version,
        /// When the posting changed.
        #[schema(value_type = OffsetDateTime)]
        at: Timestamp = Timestamp(version.at),
        /// The actor, as in the history.
        by: String = version.by.to_string(),
        /// The id of the import whose line made the change.
        import: Option<Uuid> = version.import,
        /// The names of the replaced fields.
        changed: Vec<&'a str> = replaced(version).into_iter().map(|(name, _)| name).collect(),
        /// The former values of these fields.
        #[schema(value_type = Object)]
        before: Map<String, Value> = replaced(version)
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    }
}

/// The values that a change replaced, by field name. A field that waits for a verdict counts when
/// it is pushed.
pub fn replaced(version: &PostingVersion) -> Vec<(&str, Value)> {
    let before = &version.before;
    let mut replaced = Vec::new();
    let time = |name| match before.get::<Option<OffsetDateTime>>(name) {
        Some(Some(at)) => serde_json::to_value(Timestamp(at)).unwrap_or_default(),
        _ => Value::Null,
    };
    for (name, value) in before.iter() {
        let value = match name {
            "updated_at" | "updated_by" | "enriched_hash" | "approved_hash" | "content_at"
            | "came_by" | "shown" => continue,
            "state" => {
                let state = before.get::<State>(name);
                let status = state.map(|state| Status(state.status()));
                replaced.push(("status", json!(status)));
                continue;
            }
            COMPANY => {
                let company = version.company.as_ref().map(Company::from);
                replaced.push(("company", json!(company)));
                continue;
            }
            TEXTS => {
                let texts = version.texts.as_ref();
                let place = version.coordinates;
                replaced.extend([
                    (
                        "redacted_title",
                        json!(texts.and_then(|it| it.redacted_title.as_ref())),
                    ),
                    ("markdown_description", json!(texts.map(|it| &it.markdown))),
                    (
                        "markdown_redacted_description",
                        json!(texts.map(|it| &it.redacted_markdown)),
                    ),
                    ("latitude", json!(place.map(|it| it.latitude))),
                    ("longitude", json!(place.map(|it| it.longitude))),
                ]);
                continue;
            }
            DESCRIPTION => json!(version.description),
            "published_at" | "expire_at" => time(name),
            "duplicate_of" => {
                let original = before.get::<Option<Original>>(name).flatten();
                json!(original.map(|it| it.id.uuid()))
            }
            "metadata" => {
                let metadata = before.get::<Option<Metadata>>(name).flatten();
                metadata.map_or(Value::Null, |it| {
                    serde_json::from_str(it.as_str()).unwrap_or_default()
                })
            }
            _ => value.clone(),
        };
        replaced.push((name, value));
    }
    replaced
}
