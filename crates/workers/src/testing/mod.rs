//! Test doubles: a store in memory whose calls can be made to fail, for the tests of others too,
//! and the parts of a worker on it.

mod faulty;
#[cfg(test)]
mod model;
#[cfg(test)]
mod stores;

pub use self::faulty::{Fault, FaultyStore, eventually};
#[cfg(test)]
pub(crate) use self::{
    model::{Answer, ScriptedModel},
    stores::TestStores,
};
