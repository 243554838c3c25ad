use access::sign_in::{MOST_TOKENS, SignInToken, TokenDigest};
use diesel::sql_types::{Binary, Text};
use kernel::audit::Entry;
use time::OffsetDateTime;

use crate::{
    audit, binds, each, entity,
    entity::row,
    executor::{Executor, Outcome, values},
    statement,
    stored::{decode, most},
    types::{Moment, TextList},
};

entity! {
    SignInTokenRow = sign_in_tokens of SignInToken {
        fixed {
            digest: Binary = Blob(|token| Some(&token.digest)),
            kind: Text = Text(|token| Some(token.kind.as_str())),
            holder: Text = Rendered(|token| Some(&token.holder)),
            scopes: TextList = TextList(|token| Some(&token.scopes)),
            created_at: Moment = Time(|token| Some(token.created_at)),
            expires_at: Moment = Time(|token| Some(token.expires_at)),
        }
        changing {}
    }
}

decode! { row: SignInTokenRow of sign_in_tokens => SignInToken {
    digest, kind, holder, scopes, created_at, expires_at,
} }

statement! {
    Insert = "INSERT INTO sign_in_tokens ({sign_in_tokens}) VALUES ({sign_in_tokens :})",
    over [SignInTokenRow];

    Find = "SELECT {sign_in_tokens} FROM sign_in_tokens WHERE digest = {each digest}",
    returns SignInTokenRow;

    Take = r"
        DELETE FROM sign_in_tokens WHERE digest = :digest AND kind = 'link' AND expires_at > :now";

    End = "DELETE FROM sign_in_tokens WHERE digest = :digest AND kind = 'session'";

    Forget = r"
        DELETE FROM sign_in_tokens WHERE digest IN (
            SELECT digest FROM sign_in_tokens WHERE expires_at < :before
            ORDER BY expires_at LIMIT :limit
        )";

    /// Deletes all but the holder's newest tokens of a kind.
    Trim = r"
        DELETE FROM sign_in_tokens WHERE digest IN (
            SELECT digest FROM sign_in_tokens WHERE holder = :holder AND kind = :kind
            ORDER BY created_at DESC, digest DESC LIMIT 1000 OFFSET :most
        )"
}

pub async fn add_token(
    conn: &mut impl Executor,
    token: &SignInToken,
    entry: Option<&Entry>,
) -> Outcome<()> {
    conn.execute::<Insert>(&row::<SignInTokenRow>(token))
        .await?;
    let (holder, kind) = (token.holder.to_string(), token.kind.as_str());
    let alike = binds! { holder: &*holder, kind, most: most(MOST_TOKENS) };
    conn.execute::<Trim>(alike).await?;
    audit::write_entry(conn, entry).await
}

pub async fn find_tokens(
    conn: &mut impl Executor,
    digests: &[TokenDigest],
) -> Outcome<Vec<SignInToken>> {
    let digests = each! { digests, digest => digest };
    let rows = conn.load_each::<Find>(&digests, &[]).await?;
    values(rows)
}

pub async fn redeem_link(
    conn: &mut impl Executor,
    link: &TokenDigest,
    session: &SignInToken,
    entry: &Entry,
) -> Outcome<bool> {
    let link = binds! { digest: link, now: session.created_at };
    let is_taken = conn.execute::<Take>(link).await? > 0;
    if is_taken {
        add_token(conn, session, Some(entry)).await?;
    }
    Ok(is_taken)
}

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
