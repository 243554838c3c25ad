use diesel::sql_types::{Bool, Nullable, Text};
use domain::{
    posting::{DecidedBy, Decision, DecisionOutcome, Ground, Objection, ObjectionState},
    store::WriteSet,
};
use kernel::{DecisionCode, PostingId, StoreError};

use crate::{
    entity,
    entity::row,
    executor::{Executor, Outcome},
    report, statement,
    stored::{array, corrupt, parse, parse_optional},
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
        Ok(Self {
            outcome: parse::<DecisionOutcome>(row.outcome, "posting_decisions.outcome")?,
            at: row.at.time("posting_decisions.at")?,
            by: by.ok_or_else(|| corrupt("posting_decisions.decided_by", row.decided_by))?,
            code: DecisionCode::from_store(row.code),
            sentence: row.sentence,
            passages: array(&row.passages, "posting_decisions.passages")?,
            ground: parse_optional(row.ground, "posting_decisions.ground")?,
            by_notice: row.by_notice,
            objection: row.objection.map(objection).transpose()?,
        })
    }
}

fn objection(text: String) -> Result<Objection, StoreError> {
    serde_json::from_str(&text).map_err(|_| corrupt("posting_decisions.objection", text))
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
