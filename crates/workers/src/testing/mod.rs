//! Test doubles: a store that can fail, a scripted model, and the parts of a worker.

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
