//! What happens to people: reports, changes of address, and what they do at the provider.

use super::*;
use crate::{
    store::WriteSet,
    subscriber::{MigrationSource, SuppressionSource, operator},
    usecase::{erase, migrate, unsubscribe_holder},
};

impl Model {
    pub(super) fn report(&mut self, person: &Email) {
        let name = self.dice.pick(&["A", "B", "C"]);
        self.note(format!("report {person} {name}"));
        self.cut_off(person);
        let put = self.put(person, &format!(r#"{{"name":"{name}"}}"#));
        pollster::block_on(put_subscriber(&*self.store, &put, self.now())).unwrap();
        self.gone.remove(person);
    }

    pub(super) fn change_address(&mut self, before: &Email) {
        let after = email(self.dice.pick(&ADDRESSES));
        let is_reported =
            |known: Option<Subscriber>| known.is_some_and(|it| it.reported_at.is_some());
        if after == *before || !is_reported(self.known(before)) {
            return;
        }
        self.note(format!("{before} becomes {after}"));
        let is_brought = self.has_arrived(before) && !self.addresses.is_held(&after);
        self.cut_off(&after);
        let put = self.put(&after, &format!(r#"{{"previous_email":"{before}"}}"#));
        pollster::block_on(put_subscriber(&*self.store, &put, self.now())).unwrap();
        self.gone.remove(&after);
        let follows = self.followed.contains(before);
        self.gone(before);
        if self.deleted.contains(before) {
            self.deleted.insert(after.clone());
        }
        if is_brought {
            self.brought.insert(after.clone(), self.joined(&after));
        }
        if self.left.contains(before) || follows {
            self.follow(before, after);
        }
    }

    /// Expects that a person who unsubscribed under an earlier address is suppressed under the
    /// present one.
    fn follow(&mut self, before: &Email, after: Email) {
        let may_be_unseen = [
            &self.returned,
            &self.deleted,
            &self.unseen,
            &self.reinstated,
        ];
        if may_be_unseen.iter().any(|set| set.contains(before)) {
            self.unseen.insert(after.clone());
        }
        self.followed.insert(after);
    }

    /// Unsubscribes the person in an account, perhaps without a delivery. Then only the next
    /// look-up in the account is certain to see it.
    pub(super) fn leave(&mut self, person: &Email) {
        // Often under an address that is being removed, because that phase is short.
        let departing = ADDRESSES.map(email).into_iter();
        let mut departing = departing.filter(|it| self.present(it).is_some());
        let departing = departing.next().filter(|_| self.dice.below(2) == 0);
        let person = &departing.unwrap_or_else(|| person.clone());
        let accounts = Account::ALL.iter().copied();
        let is_active = |account: &Account| {
            let there = self.provider.memory.person(*account, person);
            there.is_some_and(|it| it.status == ProviderStatus::Active)
        };
        let active: Vec<_> = accounts.filter(is_active).collect();
        if active.is_empty() {
            return;
        }
        let account = self.dice.pick(&active);
        let status = self.dice.pick(&[
            SubscriberStatus::Unsubscribed,
            SubscriberStatus::SpamReported,
            SubscriberStatus::Bounced,
        ]);
        self.note(format!("{person} leaves {account} {status}"));
        self.provider.memory.set(account, person, status);
        self.left.insert(person.clone());
        let is_looked_at = self.addresses.is_held(person);
        let is_there = |it: &Email| self.known(it).is_some_and(|it| it.departure.is_none());
        let present = self.present(person).filter(is_there);
        let has_left = present.is_some();
        if let Some(present) = present.filter(|_| !is_looked_at) {
            self.follow(person, present);
        }
        // The service ignores unreported people in lists.
        let is_known = self.known(person).is_some();
        if is_known && !is_looked_at && (has_left || self.dice.below(2) == 0) {
            self.silent.insert(person.clone());
        } else {
            let delivery = (person.clone(), status);
            self.provider.deliveries.lock().unwrap().push(delivery);
        }
    }

    pub(super) fn deliver_one(&mut self) {
        let mut deliveries = self.provider.deliveries.lock().unwrap();
        if deliveries.is_empty() {
            return;
        }
        let at = self.dice.below(deliveries.len());
        let delivery = deliveries.remove(at);
        drop(deliveries);
        self.past.push(delivery.clone());
        self.deliver(&delivery);
    }

    pub(super) fn redeliver(&mut self) {
        if !self.past.is_empty() {
            let delivery = self.dice.pick(&self.past);
            self.deliver(&delivery);
        }
    }

    fn deliver(&mut self, (person, status): &(Email, SubscriberStatus)) {
        self.note(format!("delivery {person} {status}"));
        let said = self.said(person, *status);
        pollster::block_on(notice_events(&*self.store, &[said], self.now())).unwrap();
    }

    pub(super) fn start_move(&mut self, person: &Email) {
        self.note(format!("move {person}"));
        let (people, source) = ([person.clone()], MigrationSource::Manual);
        pollster::block_on(migrate(&*self.store, &people, source, self.now())).unwrap();
    }

    /// Makes the person active again in an account, without a delivery.
    pub(super) fn return_quietly(&mut self, person: &Email) {
        let account = self.dice.pick(Account::ALL);
        let is_suppressed = self
            .provider
            .memory
            .person(account, person)
            .is_some_and(|it| it.status.suppression().is_some());
        if is_suppressed && self.seed.is_multiple_of(2) {
            self.note(format!("{person} returns to {account}"));
            self.provider
                .memory
                .set(account, person, ProviderStatus::Active);
            self.returned.insert(person.clone());
            self.unsee(person);
            if account == Account::Old {
                self.unconfirmed.remove(person);
            }
        }
    }

    /// Deletes the person at the provider by hand, while no call is in progress.
    pub(super) fn delete(&mut self, person: &Email) {
        let Some(known) = self.known(person) else {
            return;
        };
        let account = self.dice.pick(Account::ALL);
        let is_settled = known.migrated.is_none_or(|migrated| migrated.arrived);
        if self.jobs.is_empty() && is_settled && known.places[account].id.is_some() {
            self.note(format!("{person} is deleted in {account}"));
            self.provider.memory.delete(account, person);
            self.provider.say_deleted(person);
            self.unsee(person);
            if account == Account::Old {
                self.unconfirmed.remove(person);
            }
            if known.account() == account && known.reported_at.is_some() {
                self.deleted.insert(person.clone());
            }
        }
    }

    pub(super) fn reinstate(&mut self, person: &Email) {
        let Some(known) = self.known(person) else {
            return;
        };
        if !self.seed.is_multiple_of(4) {
            return;
        }
        if let Some(change) = operator::reinstate(&known, self.now()) {
            self.note(format!("{person} is reinstated"));
            let mut writes = WriteSet::new(self.now());
            change.record(&mut writes);
            pollster::block_on(self.store.commit(writes)).unwrap();
            self.left.remove(person);
            self.followed.remove(person);
            self.brought.remove(person);
            self.reinstated.insert(person.clone());
        }
    }

    /// Suppresses the person, by an operator or by the link in an e-mail.
    pub(super) fn suppress(&mut self, person: &Email) {
        if self.dice.below(2) == 0 {
            let Some(known) = self.known(person) else {
                return;
            };
            let holder = unsubscribe_holder(&*self.store, &known.token, self.now());
            if pollster::block_on(holder).unwrap().is_some() {
                self.note(format!("{person} unsubscribes by the link"));
                self.left.insert(person.clone());
            }
            return;
        }
        let said = self.said(person, SubscriberStatus::Unsubscribed);
        let (source, known) = (SuppressionSource::Operator, self.known(person));
        let change = operator::suppress(known.as_ref(), &said, source, None, self.now());
        if let Some(change) = change {
            self.note(format!("{person} is suppressed"));
            let mut writes = WriteSet::new(self.now());
            change.record(&mut writes);
            pollster::block_on(self.store.commit(writes)).unwrap();
        }
        self.left.insert(person.clone());
    }

    pub(super) fn erase(&mut self, person: &Email) {
        self.cut_off(person);
        let erased = erase(&*self.store, person, None, self.now());
        if pollster::block_on(erased).unwrap() {
            self.note(format!("{person} is erased"));
            self.gone(person);
        }
    }

    /// Notes that an address was given up or erased. A person who never confirmed it may be created
    /// under it again.
    fn gone(&mut self, person: &Email) {
        self.gone.insert(person.clone());
        self.followed.remove(person);
        self.brought.remove(person);
        if self.unconfirmed.remove(person) {
            self.anew.insert(person.clone());
        }
    }

    /// A report with a new id.
    fn put(&mut self, person: &Email, body: &str) -> PutSubscriber {
        let (new_id, new_token) = self.new_names();
        PutSubscriber {
            new_id,
            new_token,
            ..report(person.as_str(), body)
        }
    }

    fn said(&mut self, person: &Email, status: SubscriberStatus) -> Notice {
        let (new_id, new_token) = self.new_names();
        Notice {
            new_id,
            new_token,
            ..notice(person.as_str(), status)
        }
    }

    fn new_names(&mut self) -> (SubscriberId, MigrationToken) {
        self.names += 1;
        let id = uuid(0x2_0000_0000 + self.names);
        (SubscriberId::new(id), token(&id.to_string()))
    }

    /// Notes that a given-up address is reported again or erased: from now on it does not represent
    /// the person who gave it up.
    fn cut_off(&mut self, person: &Email) {
        let is_theirs = |it: &Email| it == person || self.present(it).as_ref() == Some(person);
        let all = ADDRESSES.map(email).into_iter();
        let held = all.filter(|it| self.addresses.is_held(it) && is_theirs(it));
        let held: Vec<_> = held.collect();
        self.retaken.extend(held);
        let present = self.present(person);
        self.unseen.extend(present);
    }

    /// Notes that an account no longer shows the person's undelivered unsubscription.
    fn unsee(&mut self, person: &Email) {
        if self.silent.remove(person) {
            let present = self.present(person);
            self.unseen.extend(present);
            self.unseen.insert(person.clone());
        }
    }

    /// Whether a person has certainly arrived in the new account and joined its group.
    fn has_arrived(&self, person: &Email) -> bool {
        let arrived = |it: Subscriber| it.migrated.is_some_and(|migrated| migrated.arrived);
        let is_sure = !self.left.contains(person) && !self.reinstated.contains(person);
        is_sure && self.joined(person) > 0 && self.known(person).is_some_and(arrived)
    }
}
