use diesel::sql_types::{Bool, Nullable, Text};
use domain::{
    posting::{DecidedBy, Decision, Ground, ObjectionState},
    store::WriteSet,
};
use kernel::{PostingId, StoreError};

use crate::{
    entity,
    entity::row,
    executor::{Executor, Outcome},
    report, statement,
    stored::{corrupt, decoded},
    types::{Id, Moment},
};

entity! {
    DecisionRow = posting_decisions of (PostingId, Decision) {
        fixed {
            posting_id: Id = Id(|(id, _)| Some(id.uuid())),
        }
        changing {
            outcome: Text = Text(|(_, decision)| Some(decision.outcome.as_str())),
            at: Moment = Time(|(_, decision)| Some(decision.at)),
            decided_by: Text = Rendered(|(_, decision)| Some(&decision.by)),
            version: Nullable<Text> = Text(|(_, decision)| decision.by.version()),
            code: Text = Text(|(_, decision)| Some(decision.code.as_str())),
            sentence: Text = Text(|(_, decision)| Some(&decision.sentence)),
            passages: Text = Document(|(_, decision)| Some(&decision.passages)),
            ground: Nullable<Text> = Text(|(_, decision)| decision.ground.map(Ground::as_str)),
            by_notice: Bool = Bool(|(_, decision)| decision.by_notice),
            objection: Nullable<Text> = Document(|(_, decision)| {
                decision.objection.as_ref().map(|it| it as _)
            }),
            objection_waits_since: Nullable<Moment> = Time(|(_, decision)| {
                let objection = decision.objection.as_ref()?;
                (objection.state == ObjectionState::Waiting).then_some(objection.at)
            }),
        }
    }
}

impl TryFrom<DecisionRow> for Decision {
    type Error = StoreError;

    fn try_from(row: DecisionRow) -> Result<Self, StoreError> {
        let by = DecidedBy::from_store(&row.decided_by, row.version);
        let by = by.ok_or_else(|| corrupt("posting_decisions.decided_by", row.decided_by))?;
        Ok(decoded!(row of posting_decisions => Self {
            outcome, at, code, sentence, passages, ground, by_notice, objection;
            by,
        }))
    }
}

statement! {
    Decide = r"
        INSERT INTO posting_decisions ({posting_decisions}) {posting_decisions rows}
        ON CONFLICT (posting_id) DO UPDATE SET {posting_decisions.changing = excluded}",
    over [DecisionRow]
}

pub async fn write_decisions(conn: &mut impl Executor, writes: &WriteSet) -> Outcome<()> {
    let postings = writes.postings.iter();
    let new: Vec<_> = postings
        .filter_map(|(id, write)| Some((*id, write.decision.clone()?)))
        .collect();
    let rows: Vec<_> = new.iter().map(row::<DecisionRow>).collect();
    conn.execute_each::<Decide>(&rows, &[]).await?;
    report::write_statements(conn, &new).await
}
