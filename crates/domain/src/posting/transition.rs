//! The state machine of a posting: what moves it from one status to another.

use kernel::{Status, vocabulary::vocabulary};

use super::{Posting, Rejection};

vocabulary! {
    /// What may change a posting's status.
    Trigger {
        /// A push with an `expiration`, or an operator's takedown.
        Expire = "client or operator expires",
        /// The end of its lifetime, or its absence from its catalogue.
        Lapse = "lifetime ends or catalogue drops it",
        /// A push with `"expiration": null`, or any push of a catalogue.
        ReopenByPush = "client or catalogue reopens",
        ReopenByOperator = "operator reopens",
        ApproveByEnricher = "enricher approves",
        RejectByEnricher = "enricher rejects",
        ApproveByOperator = "operator approves",
        RejectByOperator = "operator rejects",
    }
}

/// What a trigger does to a posting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// It moves the posting to its [target](Trigger::target).
    Move,
    /// It leaves the status.
    Stay,
    /// It is refused.
    Refuse,
}

impl Trigger {
    /// The status that it moves postings to.
    pub const fn target(self) -> Status {
        match self {
            Self::Expire | Self::Lapse => Status::Expired,
            Self::ReopenByPush | Self::ReopenByOperator => Status::PendingEnrichment,
            Self::ApproveByEnricher | Self::ApproveByOperator => Status::Approved,
            Self::RejectByEnricher | Self::RejectByOperator => Status::Rejected,
        }
    }

    /// What it does to a posting of this status. Beside this table,
    /// [`authority`](crate::authority) keeps down what an operator took down.
    #[expect(clippy::match_same_arms, reason = "each row of the table is one")]
    pub const fn on(self, status: Status) -> Transition {
        use Transition::{Move, Refuse, Stay};
        // PendingEnrichment, approved, rejected, expired.
        let by_status = match self {
            Self::Expire => [Move, Move, Refuse, Stay],
            Self::Lapse => [Move, Move, Stay, Stay],
            Self::ReopenByPush => [Stay, Stay, Stay, Move],
            Self::ReopenByOperator => [Refuse, Refuse, Refuse, Move],
            Self::ApproveByEnricher => [Move, Stay, Move, Stay],
            Self::RejectByEnricher => [Move, Move, Stay, Stay],
            Self::ApproveByOperator => [Move, Stay, Move, Refuse],
            Self::RejectByOperator => [Move, Move, Stay, Refuse],
        };
        by_status[status as usize]
    }

    /// Whether it moves a posting of this status.
    pub fn moves(self, status: Status) -> bool {
        self.on(status) == Transition::Move
    }

    /// Refuses the command that it stands for where the posting's status does not allow it.
    pub fn check(self, posting: &Posting) -> Result<(), Rejection> {
        match self.on(posting.status) {
            Transition::Move | Transition::Stay => Ok(()),
            Transition::Refuse => Err(Rejection::Transition {
                from: posting.status,
                to: self.target(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_diagram_of_the_readme_is_this_table() {
        let readme = include_str!("../../README.md");
        let arrows = readme
            .lines()
            .map(str::trim)
            .filter(|line| line.contains(" --> "));
        let mut expect = vec!["[*] --> PendingEnrichment: client creates".to_owned()];
        for from in Status::ALL {
            for to in Status::ALL {
                let moves = |trigger: &&Trigger| trigger.moves(*from) && trigger.target() == *to;
                let triggers: Vec<_> = Trigger::ALL.iter().filter(moves).collect();
                let names: Vec<_> = triggers.iter().map(|trigger| trigger.as_str()).collect();
                if !names.is_empty() {
                    expect.push(format!("{from} --> {to}: {}", names.join(", ")));
                }
            }
        }
        assert_eq!(arrows.collect::<Vec<_>>(), expect);
    }
}
