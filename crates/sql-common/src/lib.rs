//! What the SQL stores have in common, whichever database they speak to.

pub mod migrations;
#[cfg(feature = "testing")]
pub mod testing;
