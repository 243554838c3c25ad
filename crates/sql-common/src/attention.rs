//! The tables `attention_items` and `attention_checks`.

use std::collections::HashMap;

use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use kernel::{
    AttentionItem,
    attention::{AttentionCheck, StoredAttention},
};

use crate::{
    binds,
    commit::write_tasks,
    each, entity,
    entity::row,
    executor::{Executor, Outcome, values},
    statement,
    stored::{Decode, decode, signed},
    types::{Id, Moment},
};

entity! {
    ItemRow = attention_items of AttentionItem {
        fixed {
            id: Id = Id(|item| Some(item.id)),
            kind: Text = Text(|item| Some(item.kind.as_str())),
            subject: Text = Text(|item| Some(&item.subject)),
            client_id: Nullable<Id> = Id(|item| Some(item.client?.uuid())),
            since: Moment = Time(|item| Some(item.since)),
            sentence: Text = Text(|item| Some(&item.sentence)),
            page: Text = Text(|item| Some(&item.page)),
            is_of_board: Bool = Bool(|item| item.is_of_board),
        }
        changing {}
    }
}

decode! { row: ItemRow of attention_items => AttentionItem {
    id, kind, subject, client: client_id, since, sentence, page, is_of_board,
} }

statement! {
    LastCheck = "SELECT version, at FROM attention_checks",
    returns (BigInt, Moment);

    Items = "SELECT {attention_items} FROM attention_items ORDER BY since, id",
    returns ItemRow
}

/// Returns the items. Their version is read first, so a check stored in between causes a conflict.
pub async fn attention(conn: &mut impl Executor) -> Outcome<StoredAttention> {
    let checks = conn.load::<LastCheck>(&[]).await?;
    let rows = conn.load::<Items>(&[]).await?;
    let (version, at) = checks.into_iter().next().unzip();
    Ok(StoredAttention {
        version: version.unwrap_or_default(),
        checked_at: at.decode("attention_checks.at")?,
        items: values(rows)?,
    })
}

statement! {
    NoteCheck = every r"
        INSERT INTO attention_checks (singleton, version, at)
        SELECT TRUE, sent.expected + 1, sent.at FROM {given expected bigint, at timestamptz}
        WHERE sent.expected = 0 OR EXISTS (SELECT 1 FROM attention_checks)
        ON CONFLICT (singleton) DO UPDATE SET version = excluded.version, at = excluded.at
        WHERE attention_checks.version = excluded.version - 1";

    Clear = "DELETE FROM attention_items";

    Insert = r"
        INSERT INTO attention_items ({attention_items}) VALUES ({attention_items :})",
    over [ItemRow];

    NoteVisible = {
        postgres: r"
            WITH locked AS MATERIALIZED (
                SELECT id FROM clients WHERE id = ANY(:client::uuid[])
                ORDER BY id FOR NO KEY UPDATE
            )
            UPDATE clients SET visible = sent.visible
            FROM locked, unnest(:client::uuid[], :visible::bigint[]) AS sent (client, visible)
            WHERE clients.id = locked.id AND sent.client = locked.id",
        sqlite: "UPDATE clients SET visible = :visible WHERE id = :client",
    }
}

/// Writes a check with its events, in the caller's transaction. A different version is a conflict.
pub async fn commit(conn: &mut impl Executor, check: &AttentionCheck) -> Outcome<()> {
    let noted = [binds! { expected: check.expected, at: check.at }.to_vec()];
    conn.execute_every::<NoteCheck>(&noted, &[]).await?;
    if let Some(items) = &check.items {
        conn.execute::<Clear>(&[]).await?;
        for item in items {
            conn.execute::<Insert>(&row::<ItemRow>(item)).await?;
        }
    }
    let visible = each! {
        &check.visible,
        (client, count) => client: client.uuid(), visible: signed(*count)
    };
    conn.execute_each::<NoteVisible>(&visible, &[]).await?;
    write_tasks(conn, &check.tasks(), &HashMap::new()).await
}
