use std::collections::HashMap;

use kernel::event::Subject;

use super::{DeliveryRound, Item, State, lane::lane_of};

impl DeliveryRound {
    /// Waiting events, fresh posting events and company events take turns, so that no kind delays
    /// another. Company events take turns by originator. A probe prefers fresh events, then those
    /// with few attempts, so that an event that is never answered does not keep the circuit open.
    pub(super) fn order(&self) -> Vec<usize> {
        let open = |(_, item): &(usize, &Item)| matches!(item.state, State::Open);
        let items = self.items.iter().enumerate().filter(open);
        let (mut waiting, read): (Vec<_>, Vec<_>) = items.partition(|(_, item)| item.waits());
        let mut of_lane = HashMap::<_, usize>::new();
        let mut of_company = HashMap::<_, usize>::new();
        let (mut companies, mut postings) = (Vec::new(), Vec::new());
        for (at, item) in read {
            let event = item.event.as_ref().map(|event| &event.event);
            if !event.is_some_and(|event| matches!(event.subject, Subject::Company(_))) {
                postings.push(at);
                continue;
            }
            // Events of a company keep their order, even in different lanes.
            let last = of_company.entry(item.subject).or_default();
            if let Some(lane) = event.and_then(lane_of) {
                let turn = of_lane.entry(lane).or_default();
                *last = (*last).max(*turn);
                *turn += 1;
            }
            companies.push((*last, at));
        }
        companies.sort_unstable();
        let is_probe = self.before().is_half_open();
        if is_probe {
            waiting.sort_by_key(|(_, item)| item.attempts);
        }
        let waiting: Vec<_> = waiting.into_iter().map(|(at, _)| at).collect();
        let companies: Vec<_> = companies.into_iter().map(|(_, at)| at).collect();
        if is_probe {
            return [postings, companies, waiting].concat();
        }
        let classes = [waiting, postings, companies];
        let longest = classes.iter().map(Vec::len).max().unwrap_or_default();
        let turns = (0..longest).flat_map(|turn| classes.each_ref().map(|it| it.get(turn)));
        turns.flatten().copied().collect()
    }
}
