//! Keeps lines of one identifier in the order of the file: each starts when the one before it is
//! settled. Lines of different identifiers do not wait for each other.

use std::collections::{HashMap, VecDeque};

/// The identifiers in flight, each with a queue of waiting items.
#[derive(Debug)]
pub struct Order<T> {
    under_way: HashMap<String, VecDeque<T>>,
    waiting: usize,
}

impl<T> Order<T> {
    /// An order with nothing in flight.
    pub fn new() -> Self {
        Self {
            under_way: HashMap::new(),
            waiting: 0,
        }
    }

    /// Returns the item if it may start now; queues it if another one of its identifier is in
    /// flight.
    pub fn admit(&mut self, id: &str, item: T) -> Option<T> {
        if let Some(queue) = self.under_way.get_mut(id) {
            queue.push_back(item);
            self.waiting += 1;
            return None;
        }
        self.under_way.insert(id.to_owned(), VecDeque::new());
        Some(item)
    }

    /// Ends the item in flight of an identifier, and returns the next one to start.
    pub fn settled(&mut self, id: &str) -> Option<T> {
        let next = self.under_way.get_mut(id)?.pop_front();
        if next.is_some() {
            self.waiting -= 1;
        } else {
            self.under_way.remove(id);
        }
        next
    }

    /// The number of queued items.
    pub fn waiting(&self) -> usize {
        self.waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_of_an_identifier_starts_when_the_one_before_is_settled() {
        let mut order = Order::new();
        assert_eq!(order.admit("a", 1), Some(1));
        assert_eq!(order.admit("a", 2), None);
        assert_eq!(order.admit("a", 3), None);
        assert_eq!(order.waiting(), 2);
        assert_eq!(order.settled("a"), Some(2));
        assert_eq!(order.admit("a", 4), None, "2 is under way");
        assert_eq!(order.settled("a"), Some(3));
        assert_eq!(order.settled("a"), Some(4));
        assert_eq!(order.settled("a"), None);
        assert_eq!(order.waiting(), 0);
        assert_eq!(
            order.admit("a", 5),
            Some(5),
            "nothing is under way any more"
        );
    }

    #[test]
    fn other_identifiers_do_not_wait() {
        let mut order = Order::new();
        assert_eq!(order.admit("a", 1), Some(1));
        assert_eq!(order.admit("b", 2), Some(2));
        assert_eq!(order.admit("b", 3), None);
        assert_eq!(order.settled("a"), None);
        assert_eq!(order.settled("b"), Some(3));
    }

    #[test]
    fn nothing_is_remembered_of_what_is_settled() {
        let mut order = Order::new();
        for id in 0..1_000 {
            let id = id.to_string();
            order.admit(&id, ());
            order.settled(&id);
        }
        assert!(order.under_way.is_empty());
    }
}
