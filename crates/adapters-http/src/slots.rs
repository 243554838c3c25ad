use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use access::Crowded;
use kernel::ClientId;
use metrics::counter;

use crate::error::{ApiError, RETRY_OVERLOADED, RETRY_UNAVAILABLE, refusals};

runtime::metrics! {
    start zero;
    counter REFUSED in Count = "posthaste_limited_requests_total",
        "Requests refused because too much is under way, by limit (requests, bytes, waits, \
         imports, exports, pages, receiver_calls) and whose limit it is (client or all)";
}

#[derive(Debug)]
pub struct Slots {
    name: &'static str,
    all: usize,
    each: usize,
    /// When a request grows, this many times its units must stay free, or a quarter of the limit
    /// if that is less. So small requests find room.
    spare: usize,
    taken: AtomicUsize,
    shares: Mutex<HashMap<ClientId, Weak<OfClient>>>,
}

#[derive(Debug)]
struct OfClient {
    slots: Arc<Slots>,
    taken: AtomicUsize,
}

#[derive(Clone, Debug)]
pub struct Share(Arc<OfClient>);

#[derive(Debug)]
pub struct Slot {
    share: Share,
    units: usize,
}

#[derive(Clone, Debug)]
pub struct Limits {
    pub requests: Arc<Slots>,
    pub bytes: Arc<Slots>,
}

#[derive(Clone, Debug)]
pub struct Shares {
    pub requests: Share,
    pub bytes: Share,
}

impl Limits {
    pub fn shares(&self, client: ClientId) -> Shares {
        Shares {
            requests: self.requests.share(client),
            bytes: self.bytes.share(client),
        }
    }
}

#[derive(Clone, Copy)]
enum Limit {
    OfClient,
    OfAll,
}

fn zero() {
    for name in ["requests", "bytes"] {
        for whose in ["client", "all"] {
            counter!(REFUSED, "limit" => name, "whose" => whose).increment(0);
        }
    }
}

impl Slots {
    pub fn new(name: &'static str, all: usize, each: usize) -> Arc<Self> {
        Self::with_spare(name, all, each, 0)
    }

    pub fn of_bytes(all: usize, each: usize) -> Arc<Self> {
        const SPARE: usize = 64;
        Self::with_spare("bytes", all, each, SPARE)
    }

    fn with_spare(name: &'static str, all: usize, each: usize, spare: usize) -> Arc<Self> {
        Arc::new(Self {
            name,
            all,
            each,
            spare,
            taken: AtomicUsize::default(),
            shares: Mutex::default(),
        })
    }

    pub fn take(self: &Arc<Self>, client: ClientId) -> Result<Slot, ApiError> {
        Ok(self.claim(client)?)
    }

    pub fn claim(self: &Arc<Self>, client: ClientId) -> Result<Slot, Crowded> {
        let share = self.share(client);
        match share.grow(1, 1) {
            Ok(()) => Ok(Slot { share, units: 1 }),
            Err(limit) => {
                self.count_refusal(limit);
                Err(match limit {
                    Limit::OfClient => Crowded::TooMany,
                    Limit::OfAll => Crowded::Busy,
                })
            }
        }
    }

    pub fn share(self: &Arc<Self>, client: ClientId) -> Share {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = shares.get(&client).and_then(Weak::upgrade) {
            return Share(known);
        }
        shares.retain(|_, share| share.strong_count() > 0);
        let new = self.new_share();
        shares.insert(client, Arc::downgrade(&new.0));
        new
    }

    /// A share that belongs to no client, for example the share of all requests without a token.
    pub fn new_share(self: &Arc<Self>) -> Share {
        Share(Arc::new(OfClient {
            slots: Arc::clone(self),
            taken: AtomicUsize::default(),
        }))
    }

    fn most(&self, limit: usize, units: usize) -> usize {
        limit - (limit / 4).min(units.saturating_mul(self.spare))
    }

    fn refuse(&self, limit: Limit) -> ApiError {
        self.count_refusal(limit);
        match limit {
            Limit::OfClient if self.spare == 0 => ApiError::has_too_many(),
            Limit::OfAll if self.spare == 0 => ApiError::busy(),
            Limit::OfClient => ApiError::holds_too_much(),
            Limit::OfAll => ApiError::out_of_memory(),
        }
    }

    fn count_refusal(&self, limit: Limit) {
        let whose = match limit {
            Limit::OfClient => "client",
            Limit::OfAll => "all",
        };
        counter!(REFUSED, "limit" => self.name, "whose" => whose).increment(1);
    }
}

impl Share {
    pub fn estimate(&self, units: usize) -> usize {
        units.min(self.0.slots.each / 8)
    }

    pub fn take(&self, units: usize) -> Result<Slot, ApiError> {
        let mut slot = Slot {
            share: self.clone(),
            units: 0,
        };
        slot.set(units)?;
        Ok(slot)
    }

    fn grow(&self, more: usize, units: usize) -> Result<(), Limit> {
        let Self(own) = self;
        let slots = &own.slots;
        if !raise(&own.taken, more, slots.most(slots.each, units)) {
            return Err(Limit::OfClient);
        }
        if !raise(&slots.taken, more, slots.most(slots.all, units)) {
            own.taken.fetch_sub(more, Relaxed);
            return Err(Limit::OfAll);
        }
        Ok(())
    }

    fn shrink(&self, less: usize) {
        let Self(own) = self;
        own.taken.fetch_sub(less, Relaxed);
        own.slots.taken.fetch_sub(less, Relaxed);
    }
}

fn raise(taken: &AtomicUsize, more: usize, most: usize) -> bool {
    let raised = |taken: usize| taken.checked_add(more).filter(|taken| *taken <= most);
    taken.fetch_update(Relaxed, Relaxed, raised).is_ok()
}

impl Slot {
    /// Takes or returns units, so that the slot has `units`. After an error, nothing has changed.
    pub fn set(&mut self, units: usize) -> Result<(), ApiError> {
        if units > self.units {
            let grown = self.share.grow(units - self.units, units);
            grown.map_err(|limit| self.share.0.slots.refuse(limit))?;
        } else {
            self.share.shrink(self.units - units);
        }
        self.units = units;
        Ok(())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.share.shrink(self.units);
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
    busy: SERVICE_UNAVAILABLE, "Too many of these requests are under way. Retry.",
        RETRY_AFTER: RETRY_UNAVAILABLE;
    has_too_many: TOO_MANY_REQUESTS,
        "The client has too many of these requests under way. Retry when one has ended.",
        RETRY_AFTER: RETRY_OVERLOADED;
    out_of_memory: SERVICE_UNAVAILABLE,
        "The service holds as many bytes of bodies and answers as it may. Retry.",
        RETRY_AFTER: RETRY_UNAVAILABLE;
    holds_too_much: SERVICE_UNAVAILABLE,
        "The service holds as many bytes of bodies and answers for this client as it may. Read \
         the answers that are waiting, finish the bodies that have begun, and retry.",
        RETRY_AFTER: RETRY_UNAVAILABLE;
}

#[cfg(test)]
mod tests {
    use actix_web::{ResponseError as _, http::StatusCode};
    use uuid::Uuid;

    use super::*;

    fn client(n: u128) -> ClientId {
        ClientId::new(Uuid::from_u128(n))
    }

    #[test]
    fn each_client_has_its_share_and_all_have_a_limit() {
        let slots = Slots::new("requests", 3, 2);
        let take = |n| slots.take(client(n));
        let status = |n| take(n).map_err(|error| error.status_code()).map(drop);
        let (first, second) = (take(1).unwrap(), take(1).unwrap());
        assert_eq!(status(1), Err(StatusCode::TOO_MANY_REQUESTS));
        let third = take(2).unwrap();
        assert_eq!(status(3), Err(StatusCode::SERVICE_UNAVAILABLE));
        drop(first);
        assert_eq!(status(3), Ok(()));
        assert_eq!(status(1), Ok(()), "it has one of two");
        drop((second, third));
        assert_eq!(slots.taken.load(Relaxed), 0);
    }

    #[test]
    fn bytes_are_returned_however_a_request_ends() {
        let slots = Slots::of_bytes(1_000, 1_000);
        let mut slot = slots.share(client(1)).take(10).unwrap();
        slot.set(700).unwrap();
        assert!(slot.set(800).is_err(), "a quarter is for small requests");
        assert_eq!(slots.taken.load(Relaxed), 700);
        slot.set(20).unwrap();
        assert_eq!(slots.taken.load(Relaxed), 20);
        drop(slot);
        assert_eq!(slots.taken.load(Relaxed), 0);
    }

    #[test]
    fn large_requests_keep_no_small_one_out_and_no_client_keeps_others_out() {
        const MIB: usize = 1 << 20;
        let slots = Slots::of_bytes(256 * MIB, 128 * MIB);
        let fill = |n| {
            let share = slots.share(client(n));
            let held = std::iter::from_fn(|| share.take(MIB).ok());
            held.collect::<Vec<_>>()
        };
        let first = fill(1);
        assert_eq!(first.len(), 96);
        let small = slots.share(client(1)).take(64 << 10).unwrap();
        let second = fill(2);
        assert_eq!(second.len(), 95, "the small one counts, too");
        assert!(slots.share(client(3)).take(MIB).is_err());
        assert!(slots.share(client(3)).take(64 << 10).is_ok());
        drop((first, second, small));
        assert_eq!(slots.taken.load(Relaxed), 0);
    }
}
