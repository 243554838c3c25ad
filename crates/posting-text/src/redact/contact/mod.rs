//! E-mail addresses and telephone numbers: those that evidence speaks for, which are hidden, and
//! among them those that are certain, which no redacted text may show.

pub(super) mod email;
pub(super) mod phone;
