//! This crate's part of the store in memory.

mod clients;
mod sign_in;

use std::collections::HashMap;

use kernel::ClientId;

use crate::{Activity, Client, sign_in::SignInToken};

#[derive(Debug, Default)]
struct Kept {
    clients: Vec<Client>,
    activity: HashMap<ClientId, Activity>,
    tokens: Vec<SignInToken>,
}
