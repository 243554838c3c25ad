//! Finds e-mail addresses and telephone numbers in text.

mod email;
mod phone;

pub(crate) use self::{email::emails, phone::phones};
