//! The table `console_passes`, and postings in short as the console lists them.

use std::sync::Arc;

use access::sign_in::{SignInToken, SignInTokenKind, TokenDigest};
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
use domain::{
    browse::{PostingSummary, WindowOrder},
    store::Position,
};
use kernel::{PostingId, SourceIdentifier, Status, StoreError, Version, audit::Operator};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    entity,
    entity::Entity,
    statement,
    stored::{corrupt, digest, parse, parse_optional},
    types::{Id, Moment, StoredId, StoredTime, optional_time},
    value::Value,
};

entity! {
    /// A link or a session.
    SignInTokenRow = console_passes (digest) of SignInToken {
        fixed {
            digest: Binary = Blob(|pass| Some(&pass.digest)),
            kind: Text = Text(|pass| Some(pass.kind.as_str())),
            operator: Text = Text(|pass| Some(pass.operator.as_str())),
            created_at: Moment = Time(|pass| Some(pass.created_at)),
            expires_at: Moment = Time(|pass| Some(pass.expires_at)),
        }
        changing {}
        apart {}
    }
}

impl TryFrom<SignInTokenRow> for SignInToken {
    type Error = StoreError;

    fn try_from(row: SignInTokenRow) -> Result<Self, StoreError> {
        let operator = Operator::new(&row.operator);
        Ok(Self {
            digest: digest(&row.digest, "console_passes.digest")?,
            kind: SignInTokenKind::parse(&row.kind)
                .ok_or_else(|| corrupt("console_passes.kind", &row.kind))?,
            operator: operator.map_err(|_| corrupt("console_passes.operator", &row.operator))?,
            created_at: row.created_at.time("console_passes.created_at")?,
            expires_at: row.expires_at.time("console_passes.expires_at")?,
        })
    }
}

statement! {
    pub Insert = "INSERT INTO console_passes ({console_passes}) VALUES ({console_passes ?})",
    over [SignInTokenRow]
}

statement! {
    pub Find = "SELECT {console_passes} FROM console_passes WHERE digest = ? AND kind = ?",
    over [SignInTokenRow],
    returns <SignInTokenRow as Entity>::Row
}

impl Find {
    /// The values for a pass.
    pub fn values(kind: SignInTokenKind, digest: &TokenDigest) -> [Value<'_>; 2] {
        [digest.into(), kind.as_str().into()]
    }
}

statement! {
    /// A link that is used.
    pub Take =
    "DELETE FROM console_passes WHERE digest = ? AND kind = 'link' AND expires_at > ?"
}

statement! {
    pub End = "DELETE FROM console_passes WHERE digest = ? AND kind = 'session'"
}

statement! {
    pub Forget =
    "DELETE FROM console_passes WHERE digest IN \
     (SELECT digest FROM console_passes WHERE expires_at < ? ORDER BY expires_at LIMIT ?)"
}

impl Forget {
    /// The values for passes that ended before this time.
    pub fn values(before: OffsetDateTime, limit: usize) -> [Value<'static>; 2] {
        [before.into(), of_limit(limit)]
    }
}

/// A window of postings. The names of companies are looked up row by row: a join might read all
/// companies.
macro_rules! window {
    ($condition:expr, $order:expr) => {
        concat!(
            "SELECT id, version, source_identifier, status, status_reason, moderated, is_featured, \
             title, (SELECT name FROM companies WHERE companies.id = postings.company_id) \
             AS company, created_by, created_at, published_at, updated_at FROM postings WHERE ",
            $condition,
            " ORDER BY ",
            $order,
            " LIMIT ?"
        )
    };
}

/// The SQL types of a [`SummaryRow`].
pub type SummaryColumns = (
    Id,
    BigInt,
    Text,
    Text,
    Nullable<Text>,
    Bool,
    Bool,
    Text,
    Nullable<Text>,
    Nullable<Text>,
    Moment,
    Nullable<Moment>,
    Moment,
);

/// A posting in short.
pub type SummaryRow = (
    StoredId,
    Version,
    String,
    String,
    Option<String>,
    bool,
    bool,
    String,
    Option<String>,
    Option<String>,
    StoredTime,
    Option<StoredTime>,
    StoredTime,
);

statement! {
    pub Newest = window!("(updated_at, id) < (?, ?)", "updated_at DESC, id DESC"),
    returns SummaryColumns
}

statement! {
    pub NewestOfStatus = window!(
        "status = ? AND (updated_at, id) < (?, ?)",
        "updated_at DESC, id DESC"
    ),
    returns SummaryColumns
}

statement! {
    pub ByIdentifier = window!(
        "source_identifier > ? AND source_identifier >= ? AND source_identifier < ?",
        "source_identifier"
    ),
    returns SummaryColumns
}

/// The statement of a window, and what its values are made of.
#[derive(Clone, Debug)]
pub enum Order {
    /// [`Newest`].
    Newest(StoredTime, Uuid),
    /// [`NewestOfStatus`].
    NewestOfStatus(Status, StoredTime, Uuid),
    /// [`ByIdentifier`]: what they follow, the prefix, and its end.
    ByIdentifier(String, Arc<str>, String),
}

impl From<&WindowOrder> for Order {
    fn from(order: &WindowOrder) -> Self {
        match order {
            WindowOrder::Newest { status, before } => {
                let (at, id) = before.map_or(
                    (StoredTime::MAX, Uuid::max()),
                    |Position { updated_at, id }| (updated_at.into(), id),
                );
                match status {
                    None => Self::Newest(at, id),
                    Some(status) => Self::NewestOfStatus(*status, at, id),
                }
            }
            WindowOrder::Identifier { prefix, after } => {
                let after = after.as_ref().map_or("", SourceIdentifier::as_str);
                Self::ByIdentifier(after.to_owned(), Arc::clone(prefix), end_of(prefix))
            }
        }
    }
}

impl Order {
    /// The values of its statement.
    pub fn values(&self, limit: usize) -> Vec<Value<'_>> {
        let limit = of_limit(limit);
        match self {
            Self::Newest(at, id) => vec![(*at).into(), (*id).into(), limit],
            Self::NewestOfStatus(status, at, id) => {
                vec![status.as_str().into(), (*at).into(), (*id).into(), limit]
            }
            Self::ByIdentifier(after, prefix, end) => {
                vec![after.into(), (&**prefix).into(), end.into(), limit]
            }
        }
    }
}

/// A text behind all that begin with this one: the last code point that is valid and not a
/// character follows it several times.
fn end_of(prefix: &str) -> String {
    format!("{prefix}{}", "\u{10FFFF}".repeat(4))
}

/// The posting of a row.
pub fn summary(row: SummaryRow) -> Result<PostingSummary, StoreError> {
    let (id, version, identifier, status, status_reason, moderated, is_featured, title, ..) = row;
    let (.., company, created_by, created_at, published_at, updated_at) = row;
    Ok(PostingSummary {
        id: PostingId::new(id.uuid("postings.id")?),
        version,
        source_identifier: parse(identifier, "postings.source_identifier")?,
        status: parse(status, "postings.status")?,
        status_reason,
        moderated,
        is_featured,
        title,
        company: company.unwrap_or_default(),
        created_by: parse_optional(created_by, "postings.created_by")?,
        created_at: created_at.time("postings.created_at")?,
        published_at: optional_time(published_at, "postings.published_at")?,
        updated_at: updated_at.time("postings.updated_at")?,
    })
}

statement! {
    pub CountStatus =
    "SELECT count(*) FROM (SELECT 1 FROM postings WHERE status = ? LIMIT ?) AS counted",
    returns BigInt
}

impl CountStatus {
    /// The values for a status.
    pub fn values(status: Status, most: usize) -> [Value<'static>; 2] {
        [status.as_str().into(), of_limit(most)]
    }
}

fn of_limit(limit: usize) -> Value<'static> {
    i64::try_from(limit).unwrap_or(i64::MAX).into()
}
