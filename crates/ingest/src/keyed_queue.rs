use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
};

/// A queue that issues one item per key at a time, in order of arrival. The next item of a key
/// waits for the end of the previous one, so a retried item is never overtaken.
pub(crate) struct KeyedQueue<K, T> {
    ready: VecDeque<T>,
    /// Items that wait behind the ready or issued item, by key.
    behind: HashMap<K, VecDeque<T>>,
    waiting: usize,
}

impl<K, T> Default for KeyedQueue<K, T> {
    fn default() -> Self {
        Self {
            ready: VecDeque::new(),
            behind: HashMap::new(),
            waiting: 0,
        }
    }
}

impl<K: Eq + Hash, T> KeyedQueue<K, T> {
    pub fn push(&mut self, key: K, item: T) {
        if let Some(behind) = self.behind.get_mut(&key) {
            behind.push_back(item);
            self.waiting += 1;
        } else {
            self.behind.insert(key, VecDeque::new());
            self.ready.push_back(item);
        }
    }

    pub fn next(&mut self) -> Option<T> {
        self.ready.pop_front()
    }

    pub fn take(&mut self, most: usize) -> Vec<T> {
        let count = most.min(self.ready.len());
        self.ready.drain(..count).collect()
    }

    /// Ends a key's issued item, and makes the key's next item ready.
    pub fn end(&mut self, key: &K) {
        let behind = self.behind.get_mut(key);
        match behind.and_then(VecDeque::pop_front) {
            Some(next) => {
                self.waiting -= 1;
                self.ready.push_back(next);
            }
            None => {
                self.behind.remove(key);
            }
        }
    }

    pub fn drain(&mut self) -> impl Iterator<Item = T> {
        self.waiting = 0;
        let behind = self.behind.drain().flat_map(|(_, behind)| behind);
        self.ready.drain(..).chain(behind)
    }

    pub fn ready(&self) -> usize {
        self.ready.len()
    }

    pub fn has(&self, key: &K) -> bool {
        self.behind.contains_key(key)
    }

    pub fn len(&self) -> usize {
        self.behind.len() + self.waiting
    }

    pub fn waiting_for(&self, key: &K) -> usize {
        self.behind.get(key).map_or(0, VecDeque::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_one_key_are_given_out_one_at_a_time_in_order() {
        let mut queue = KeyedQueue::default();
        for item in ["a1", "a2", "b1", "a3"] {
            queue.push(item.as_bytes()[0], item);
        }
        assert_eq!((queue.ready(), queue.len()), (2, 4));
        assert_eq!((queue.waiting_for(&b'a'), queue.waiting_for(&b'c')), (2, 0));
        assert_eq!((queue.take(9), queue.next()), (vec!["a1", "b1"], None));
        queue.end(&b'b');
        assert!(queue.has(&b'a') && !queue.has(&b'b'));
        queue.push(b'b', "b2");
        queue.end(&b'a');
        assert_eq!([queue.next(), queue.next()], [Some("b2"), Some("a2")]);
        queue.push(b'c', "c1");
        assert_eq!(queue.drain().collect::<Vec<_>>(), ["c1", "a3"]);
        assert_eq!((queue.len(), queue.has(&b'c')), (0, false));
    }
}
