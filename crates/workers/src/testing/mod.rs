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
