//! Limits of what clients may have under way at a time.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use access::Crowded;
use kernel::ClientId;

use crate::error::{ApiError, RETRY_OVERLOADED, RETRY_UNAVAILABLE, refusals};

/// A limited number of slots, of which each client gets only a few, so that no client takes them
/// all.
#[derive(Debug)]
pub struct Slots {
    all: usize,
    each: usize,
    taken: Mutex<HashMap<ClientId, usize>>,
}

/// A slot of a client, until it is dropped.
#[derive(Debug)]
pub struct Slot {
    slots: Arc<Slots>,
    client: ClientId,
}

impl Slots {
    /// This many slots for all clients, and for each of them.
    pub fn new(all: usize, each: usize) -> Arc<Self> {
        Arc::new(Self {
            all,
            each,
            taken: Mutex::default(),
        })
    }

    /// Takes a slot for a client. An error tells the client to come back.
    pub fn take(self: &Arc<Self>, client: ClientId) -> Result<Slot, ApiError> {
        Ok(self.claim(client)?)
    }

    /// Takes a slot for a client.
    pub fn claim(self: &Arc<Self>, client: ClientId) -> Result<Slot, Crowded> {
        let mut taken = self.taken();
        let all: usize = taken.values().sum();
        let own = taken.get(&client).copied().unwrap_or_default();
        if own >= self.each {
            return Err(Crowded::TooMany);
        }
        if all >= self.all {
            return Err(Crowded::Busy);
        }
        taken.insert(client, own + 1);
        drop(taken);
        Ok(Slot {
            slots: Arc::clone(self),
            client,
        })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<ClientId, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut taken = self.slots.taken();
        if let Some(own) = taken.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.client);
            }
        }
    }
}

impl From<Crowded> for ApiError {
    fn from(crowded: Crowded) -> Self {
        match crowded {
            Crowded::Limited {
                per_minute,
                retry_after,
            } => Self::limited(per_minute, retry_after),
            Crowded::TooMany => Self::has_too_many(),
            Crowded::Busy => Self::busy(),
            Crowded::Store(error) => error.into(),
        }
    }
}

refusals! {
    /// 503: all clients together have as many such requests under way as the service allows.
    busy: SERVICE_UNAVAILABLE, "Too many of these requests are under way. Try again.",
        RETRY_AFTER: RETRY_UNAVAILABLE;
    /// 429: the client has.
    has_too_many: TOO_MANY_REQUESTS,
        "The client has too many of these requests under way. Try again when one has ended.",
        RETRY_AFTER: RETRY_OVERLOADED;
}

#[cfg(test)]
mod tests {
    use actix_web::{ResponseError as _, http::StatusCode};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn each_client_has_its_share_and_all_have_a_limit() {
        let slots = Slots::new(3, 2);
        let take = |n| slots.take(ClientId::new(Uuid::from_u128(n)));
        let status = |n| take(n).map_err(|error| error.status_code()).map(drop);
        let (first, second) = (take(1).unwrap(), take(1).unwrap());
        assert_eq!(status(1), Err(StatusCode::TOO_MANY_REQUESTS));
        let third = take(2).unwrap();
        assert_eq!(status(3), Err(StatusCode::SERVICE_UNAVAILABLE));
        drop(first);
        assert_eq!(status(3), Ok(()));
        assert_eq!(status(1), Ok(()), "it has one of two");
        drop((second, third));
        assert!(slots.taken().is_empty());
    }
}
