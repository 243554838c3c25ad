pub mod accounts;
pub mod subscribers;
