//! The table `console_passes`, and postings in short as the console lists them.

use access::sign_in::{SignInToken, SignInTokenKind, TokenDigest};
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
use domain::{
    browse::{PostingSummary, Window, WindowOrder},
    store::Position,
};
use kernel::{
    PostingId, SourceIdentifier, Status, StoreError, Version,
    audit::{Entry, Operator},
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    audit, binds, entity,
    entity::{Entity, row},
    executor::{Executor, Outcome},
    statement,
    stored::{corrupt, digest, most, parse, parse_optional},
    types::{Id, Moment, StoredId, StoredTime, optional_time},
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
    Insert = "INSERT INTO console_passes ({console_passes}) VALUES ({console_passes :})",
    over [SignInTokenRow]
}

statement! {
    Find = "SELECT {console_passes} FROM console_passes WHERE digest = :digest AND kind = :kind",
    over [SignInTokenRow],
    returns <SignInTokenRow as Entity>::Row
}

statement! {
    /// A link that is used.
    Take = r"
        DELETE FROM console_passes WHERE digest = :digest AND kind = 'link' AND expires_at > :now"
}

statement! {
    End = "DELETE FROM console_passes WHERE digest = :digest AND kind = 'session'"
}

statement! {
    pub Forget = r"
        DELETE FROM console_passes WHERE digest IN (
            SELECT digest FROM console_passes WHERE expires_at < :before
            ORDER BY expires_at LIMIT :limit
        )"
}

/// Adds a link or a session, in a transaction of the caller's.
pub async fn add_token(conn: &mut impl Executor, pass: &SignInToken, entry: &Entry) -> Outcome<()> {
    conn.execute::<Insert>(&row::<SignInTokenRow>(pass)).await?;
    audit::write_entry(conn, Some(entry)).await
}

pub async fn find_token(
    conn: &mut impl Executor,
    kind: SignInTokenKind,
    digest: &TokenDigest,
) -> Outcome<Option<SignInToken>> {
    let asked = binds! { digest, kind: kind.as_str() };
    let found: Vec<SignInTokenRow> = conn.load::<Find, _>(asked).await?;
    Ok(found
        .into_iter()
        .next()
        .map(SignInToken::try_from)
        .transpose()?)
}

/// Makes a link a session, in a transaction of the caller's.
pub async fn redeem_link(
    conn: &mut impl Executor,
    link: &TokenDigest,
    session: &SignInToken,
    entry: &Entry,
) -> Outcome<bool> {
    let link = binds! { digest: link, now: session.created_at };
    let is_taken = conn.execute::<Take>(link).await? > 0;
    if is_taken {
        add_token(conn, session, entry).await?;
    }
    Ok(is_taken)
}

/// Ends a session, in a transaction of the caller's.
pub async fn end_session(
    conn: &mut impl Executor,
    digest: &TokenDigest,
    entry: &Entry,
) -> Outcome<bool> {
    let is_ended = conn.execute::<End>(binds! { digest }).await? > 0;
    audit::write_entry(conn, Some(entry).filter(|_| is_ended)).await?;
    Ok(is_ended)
}

pub async fn forget_tokens(
    conn: &mut impl Executor,
    before: OffsetDateTime,
    limit: usize,
) -> Outcome<usize> {
    let limit = most(limit);
    conn.execute::<Forget>(binds! { before, limit }).await
}

/// A window of postings. The names of companies are looked up row by row: a join might read all
/// companies.
macro_rules! window {
    ($condition:expr, $order:expr) => {
        concat!(
            r"SELECT id, version, source_identifier, status, status_reason, moderated, is_featured,
                title, (SELECT name FROM companies WHERE companies.id = postings.company_id)
                AS company, created_by, created_at, published_at, updated_at
            FROM postings WHERE ",
            $condition,
            " ORDER BY ",
            $order,
            " LIMIT :limit"
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
    pub Newest = window!("(updated_at, id) < (:at, :id)", "updated_at DESC, id DESC"),
    returns SummaryColumns
}

statement! {
    pub NewestOfStatus = window!(
        "status = :status AND (updated_at, id) < (:at, :id)",
        "updated_at DESC, id DESC"
    ),
    returns SummaryColumns
}

statement! {
    pub ByIdentifier = window!(
        "source_identifier > :after AND source_identifier >= :prefix AND source_identifier < :end",
        "source_identifier"
    ),
    returns SummaryColumns
}

/// A window of postings, in short.
pub async fn window(conn: &mut impl Executor, window: &Window) -> Outcome<Vec<PostingSummary>> {
    let limit = most(window.limit);
    let rows: Vec<SummaryRow> = match &window.order {
        WindowOrder::Newest { status, before } => {
            let (at, id) = before.map_or(
                (StoredTime::MAX, Uuid::max()),
                |Position { updated_at, id }| (updated_at.into(), id),
            );
            match status {
                None => conn.load::<Newest, _>(binds! { at, id, limit }).await,
                Some(status) => {
                    let asked = binds! { status: status.as_str(), at, id, limit };
                    conn.load::<NewestOfStatus, _>(asked).await
                }
            }
        }
        WindowOrder::Identifier { prefix, after } => {
            let after = after.as_ref().map_or("", SourceIdentifier::as_str);
            let (prefix, end) = (&**prefix, end_of(prefix));
            let asked = binds! { after, prefix, end: &end, limit };
            conn.load::<ByIdentifier, _>(asked).await
        }
    }?;
    Ok(rows.into_iter().map(summary).collect::<Result<_, _>>()?)
}

/// A text behind all that begin with this one: the last code point that is valid and not a
/// character follows it several times.
fn end_of(prefix: &str) -> String {
    format!("{prefix}{}", "\u{10FFFF}".repeat(4))
}

/// The posting of a row.
fn summary(row: SummaryRow) -> Result<PostingSummary, StoreError> {
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
    pub CountStatus = r"
        SELECT count(*) FROM (SELECT 1 FROM postings WHERE status = :status LIMIT :limit) AS counted",
    returns BigInt
}

/// Counts the postings of a status, up to a limit.
pub async fn count_status(
    conn: &mut impl Executor,
    status: Status,
    limit: usize,
) -> Outcome<usize> {
    let asked = binds! { status: status.as_str(), limit: most(limit) };
    let counts: Vec<i64> = conn.load::<CountStatus, _>(asked).await?;
    let count = counts.first().copied().unwrap_or_default();
    Ok(usize::try_from(count).unwrap_or_default())
}

/// The ports of the console: [`SignInTokens`](access::sign_in::SignInTokens) and
/// [`PostingBrowser`](domain::browse::PostingBrowser).
#[macro_export]
macro_rules! console {
    ($store:ty) => {
        const _: () = {
            use access::sign_in::{SignInToken, SignInTokenKind, SignInTokens, TokenDigest};
            use domain::browse::{PostingBrowser, PostingSummary, Window};
            use kernel::{Status, StoreError, audit::Entry};
            use time::OffsetDateTime;
            use $crate::console;

            #[async_trait::async_trait]
            impl SignInTokens for $store {
                async fn add_token(
                    &self,
                    pass: &SignInToken,
                    entry: &Entry,
                ) -> Result<(), StoreError> {
                    let (pass, entry) = (pass.clone(), entry.clone());
                    self.transaction(async move |conn| {
                        Ok(console::add_token(conn, &pass, &entry).await?)
                    })
                    .await
                }

                async fn find_token(
                    &self,
                    kind: SignInTokenKind,
                    digest: &TokenDigest,
                ) -> Result<Option<SignInToken>, StoreError> {
                    let digest = *digest;
                    self.query(
                        async move |conn| Ok(console::find_token(conn, kind, &digest).await?),
                    )
                    .await
                }

                async fn redeem_link(
                    &self,
                    link: &TokenDigest,
                    session: &SignInToken,
                    entry: &Entry,
                ) -> Result<bool, StoreError> {
                    let (link, session, entry) = (*link, session.clone(), entry.clone());
                    self.transaction(async move |conn| {
                        Ok(console::redeem_link(conn, &link, &session, &entry).await?)
                    })
                    .await
                }

                async fn end_session(
                    &self,
                    session: &TokenDigest,
                    entry: &Entry,
                ) -> Result<bool, StoreError> {
                    let (session, entry) = (*session, entry.clone());
                    self.transaction(async move |conn| {
                        Ok(console::end_session(conn, &session, &entry).await?)
                    })
                    .await
                }

                async fn forget_tokens(
                    &self,
                    before: OffsetDateTime,
                    limit: usize,
                ) -> Result<usize, StoreError> {
                    self.repeatable(async move |conn| {
                        Ok(console::forget_tokens(conn, before, limit).await?)
                    })
                    .await
                }
            }

            #[async_trait::async_trait]
            impl PostingBrowser for $store {
                async fn window(&self, window: &Window) -> Result<Vec<PostingSummary>, StoreError> {
                    let window = window.clone();
                    self.query(async move |conn| Ok(console::window(conn, &window).await?))
                        .await
                }

                async fn count_status(
                    &self,
                    status: Status,
                    most: usize,
                ) -> Result<usize, StoreError> {
                    self.query(async move |conn| {
                        Ok(console::count_status(conn, status, most).await?)
                    })
                    .await
                }
            }
        };
    };
}
