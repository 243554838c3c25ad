//! The places for connections of a thread. When few are left, idle connections are closed.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
    time::Duration,
};

use actix_web::rt;
use tokio::time::{Instant, sleep};

use crate::connection::Connection;

/// How long a connection is idle before it may be closed: its request may be on the way.
const IDLE_FOR: Duration = Duration::from_millis(250);
/// The pause between two looks for idle connections, while few places are left.
const PAUSE: Duration = Duration::from_millis(50);

/// The places of a thread. Connections past the last one wait to be accepted, so some are kept
/// free, by closing the connections that have been idle for longest.
#[derive(Debug)]
pub struct Places {
    /// The number of connections from which on idle ones are closed.
    enough: usize,
    opened: Cell<u64>,
    open: RefCell<HashMap<u64, Rc<Connection>>>,
    is_making_room: Cell<bool>,
}

/// The place of a connection, until it is dropped.
#[derive(Debug)]
pub struct Place {
    places: Rc<Places>,
    number: u64,
}

impl Places {
    /// This many places, an eighth of which is kept free.
    pub fn new(all: usize) -> Rc<Self> {
        Rc::new(Self {
            enough: all - all.div_ceil(8),
            opened: Cell::default(),
            open: RefCell::default(),
            is_making_room: Cell::default(),
        })
    }

    /// Takes a place for a connection. Must be called on the thread's runtime.
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
            self.close_idle(Instant::now());
            sleep(PAUSE).await;
        }
        self.is_making_room.set(false);
    }

    /// Closes as many connections as there are too many, if so many are idle.
    fn close_idle(&self, now: Instant) {
        let open = self.open.borrow();
        let idle = open.values().filter_map(|connection| {
            let since = connection.idle_since()?;
            (now.saturating_duration_since(since) >= IDLE_FOR).then_some((since, connection))
        });
        let mut idle: Vec<_> = idle.collect();
        idle.sort_unstable_by_key(|(since, _)| *since);
        for (_, connection) in idle.into_iter().take(self.excess()) {
            connection.close();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.open.borrow_mut().remove(&self.number);
    }
}
