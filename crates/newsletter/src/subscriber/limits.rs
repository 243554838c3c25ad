//! The limits of a report. Lengths count Unicode characters.

/// The address: the longest SMTP path without its brackets (RFC 5321 §4.5.3.1.3).
pub const EMAIL: usize = 254;
/// `name`.
pub const NAME: usize = 255;
/// `country`.
pub const COUNTRY: usize = 255;
