//! Answers to repeated commands that change nothing.

use kernel::CatalogueId;
use time::OffsetDateTime;

use super::{Answer, Basis, Lifetime, Notice};

/// The answer to a command that changes nothing, and its conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatAnswer {
    /// The answer without notices, with the state of posting and company.
    pub answer: Answer,
    /// The catalogue of the posting.
    pub catalogue: Option<CatalogueId>,
    /// The end of the posting's lifetime.
    pub expire_at: Option<OffsetDateTime>,
    /// The end of its closing date.
    pub closes_at: Option<OffsetDateTime>,
}

impl RepeatAnswer {
    /// The answer to a command that changed nothing in the state `basis`; `None` if the command
    /// must be decided.
    pub fn repeat(
        self,
        catalogue: Option<CatalogueId>,
        basis: Basis,
        notices: &[Notice],
        lifetime: Lifetime,
        now: OffsetDateTime,
    ) -> Option<Answer> {
        let (status, closes_at) = (self.answer.status, self.closes_at);
        let end = lifetime.end(status, self.expire_at, (closes_at, closes_at), now);
        let is_closing = status.is_open() && closes_at.is_some_and(|end| end <= now);
        let is_same = self.answer.basis == Some(basis)
            && (catalogue.is_none() || catalogue == self.catalogue)
            && end == self.expire_at
            && !is_closing;
        is_same.then(|| Answer {
            notices: notices.to_vec(),
            ..self.answer
        })
    }
}

#[cfg(test)]
mod tests {
    use kernel::{
        PutOutcome,
        testing::{hours, noon, uuid},
    };

    use super::*;
    use crate::testing::answered;

    #[test]
    fn an_answer_is_repeated_in_the_same_state_and_catalogue() {
        let [own, other] = [1, 2].map(|id| Some(CatalogueId::new(uuid(id))));
        for (catalogue, basis, days, expect) in [
            (None, 7, 0, true),
            (own, 7, 0, true),
            (other, 7, 0, false),
            (own, 8, 0, false),
            (own, 7, 31, false),
        ] {
            let mut answer = answered("a", PutOutcome::Unchanged);
            answer.basis = Some(Basis(7));
            let now = noon() + hours(24 * days);
            let answer = RepeatAnswer {
                answer,
                catalogue: own,
                expire_at: Some(noon() + hours(24 * 60)),
                closes_at: None,
            };
            let notices = vec![Notice::StillExpired];
            let lifetime = Lifetime::days(60);
            let again = answer.repeat(catalogue, Basis(basis), &notices, lifetime, now);
            let again = again.map(|it| it.notices);
            assert_eq!(
                again,
                expect.then_some(notices),
                "{catalogue:?} {basis} {days}"
            );
        }
    }
}
