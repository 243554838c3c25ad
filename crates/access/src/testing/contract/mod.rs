pub mod clients;
pub mod sign_in;
