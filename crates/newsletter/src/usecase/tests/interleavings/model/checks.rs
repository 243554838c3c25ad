//! The invariants, while workers run and in the end.

use super::*;

impl Model {
    /// The addresses that get mail.
    pub(super) fn reached(&self) -> HashSet<Email> {
        let gets_mail = |person: &Email| {
            Account::ALL.iter().any(|account| {
                let there = self.provider.memory.person(*account, person);
                there.is_some_and(|it| it.status.suppression().is_none())
            })
        };
        let all = ADDRESSES.map(email).into_iter();
        all.filter(gets_mail).collect()
    }

    /// Checks that the automation starts once per person, over all addresses.
    pub(super) fn check_joined(&self) {
        for (person, before) in &self.brought {
            assert!(
                self.joined(person) <= *before,
                "joined again: seed {}, {person}\n{:#?}",
                self.seed,
                self.log
            );
        }
    }

    /// Checks that a given-up address gets mail until another address of the person does.
    pub(super) fn check_reached(&self, before: &HashSet<Email>) {
        let reached = self.reached();
        for left in before.difference(&reached) {
            let present = self.present(left).filter(|_| !self.retaken.contains(left));
            let Some(person) = present else { continue };
            let is_theirs =
                |it: &Email| *it == person || self.present(it).as_ref() == Some(&person);
            let is_active = |it: Subscriber| it.reported_at.is_some() && !it.status.is_suppressed();
            let exempt = [&self.left, &self.followed, &self.reinstated, &self.deleted];
            assert!(
                reached.iter().any(is_theirs)
                    || !self.known(&person).is_some_and(is_active)
                    || exempt.iter().any(|set| set.contains(&person)),
                "in no account: seed {}, {person}\n{:#?}",
                self.seed,
                self.log
            );
        }
    }

    fn is_remembered(&self, person: &Email) -> bool {
        let remembered = self.store.remembered(std::slice::from_ref(person));
        !pollster::block_on(remembered).unwrap().is_empty()
    }

    pub(super) fn check(&self) {
        for person in ADDRESSES.map(email) {
            let known = self.known(&person);
            let shown = Account::ALL.iter().filter_map(|account| {
                Some((*account, self.provider.memory.person(*account, &person)?))
            });
            let shown: Vec<_> = shown.collect();
            let explain = || {
                format!(
                    "seed {}, {person}\n{known:#?}\n{shown:#?}\n{:#?}",
                    self.seed, self.log
                )
            };
            let gets_mail: Vec<_> = shown
                .iter()
                .filter(|(_, it)| it.status.suppression().is_none())
                .map(|(account, _)| *account)
                .collect();
            let is_suppressed = known
                .as_ref()
                .is_some_and(|known| known.status.is_suppressed());
            // For reinstated people only the status that an account still shows counts.
            let is_uncertain = self.reinstated.contains(&person) || self.unseen.contains(&person);
            let has_left = self.left.contains(&person) || self.followed.contains(&person);
            // The move of the new address may wait for an operator, and the look-up of the old
            // address waits for that move.
            let may_be_stuck = [&self.unconfirmed, &self.anew, &self.reinstated];
            let is_stuck = |email: &Email| may_be_stuck.iter().any(|set| set.contains(email));
            let present = self.present(&person);
            let waits = is_stuck(present.as_ref().unwrap_or(&person)) && !self.silent.is_empty();
            if has_left && !is_uncertain && !waits {
                let is_remembered = self.is_remembered(&person);
                assert!(
                    is_suppressed || is_remembered,
                    "not recorded: {}",
                    explain()
                );
            }
            if present.as_ref().is_some_and(is_stuck) {
                continue;
            }
            if self.gone.contains(&person) {
                assert_eq!(shown, [], "still there: {}", explain());
                let is_over = known.as_ref().is_none_or(|it| it.departure.is_none());
                assert!(is_over, "not over: {}", explain());
                continue;
            }
            if is_suppressed {
                assert_eq!(gets_mail, [], "gets mail: {}", explain());
                continue;
            }
            if self.unconfirmed.contains(&person) {
                let is_active = shown.iter().any(|(account, it)| {
                    *account == Account::New && it.status == ProviderStatus::Active && it.joined > 0
                });
                assert!(!is_active, "never confirmed: {}", explain());
            }
            let is_reported = |known: &&Subscriber| known.reported_at.is_some();
            let Some(known) = known.as_ref().filter(is_reported) else {
                continue;
            };
            let exempt = [&self.deleted, &self.reinstated, &self.anew];
            if exempt.iter().any(|set| set.contains(&person)) {
                continue;
            }
            if self.unconfirmed.contains(&person) {
                assert!(!gets_mail.is_empty(), "lost: {}", explain());
                continue;
            }
            assert!(gets_mail.contains(&known.account()), "lost: {}", explain());
            let was_moved = known.migrated.is_some();
            if was_moved {
                assert_eq!(gets_mail, [Account::New], "doubled: {}", explain());
            }
        }
    }
}
