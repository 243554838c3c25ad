use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
    time::Duration,
};

use actix_web::rt;
use tokio::time::{Instant, sleep};

use crate::connection::Connection;

/// A connection that has waited this long for its client may be closed. Until then, data may be
/// under way.
const PATIENCE: Duration = Duration::from_millis(250);
/// The same time when very few places are left.
const LEAST_PATIENCE: Duration = Duration::from_millis(50);
const PAUSE: Duration = Duration::from_millis(10);

/// The places for connections of one thread. Some places are kept free by closing the connections
/// that have waited longest. Otherwise even health checks would wait. The application must ensure
/// that known clients do not occupy all places.
#[derive(Debug)]
pub struct Places {
    /// When this number of connections is exceeded, some are closed.
    enough: usize,
    too_many: usize,
    opened: Cell<u64>,
    open: RefCell<HashMap<u64, Rc<Connection>>>,
    is_making_room: Cell<bool>,
}

#[derive(Debug)]
pub struct Place {
    places: Rc<Places>,
    number: u64,
}

impl Places {
    /// Creates `all` places, and keeps an eighth of them free.
    pub fn new(all: usize) -> Rc<Self> {
        Rc::new(Self {
            enough: all - all.div_ceil(8),
            too_many: all - all.div_ceil(16),
            opened: Cell::default(),
            open: RefCell::default(),
            is_making_room: Cell::default(),
        })
    }

    /// Must run on the thread's runtime.
    pub fn take(self: &Rc<Self>, connection: Rc<Connection>) -> Place {
        let number = self.opened.get();
        self.opened.set(number + 1);
        self.open.borrow_mut().insert(number, connection);
        if self.excess() > 0 && !self.is_making_room.replace(true) {
            rt::spawn(Rc::clone(self).make_room());
        }
        Place {
            places: Rc::clone(self),
            number,
        }
    }

    fn excess(&self) -> usize {
        self.open.borrow().len().saturating_sub(self.enough)
    }

    async fn make_room(self: Rc<Self>) {
        while self.excess() > 0 {
            self.close_spare(Instant::now());
            sleep(PAUSE).await;
        }
        self.is_making_room.set(false);
    }

    fn close_spare(&self, now: Instant) {
        let open = self.open.borrow();
        let patience = if open.len() > self.too_many {
            LEAST_PATIENCE
        } else {
            PATIENCE
        };
        let spare = open.values().filter_map(|connection| {
            let since = connection.spare_since()?;
            (now.saturating_duration_since(since) >= patience).then_some((since, connection))
        });
        let mut spare: Vec<_> = spare.collect();
        spare.sort_unstable_by_key(|(since, _)| *since);
        for (_, connection) in spare.into_iter().take(self.excess()) {
            connection.close();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.open.borrow_mut().remove(&self.number);
    }
}
