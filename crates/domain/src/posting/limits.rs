//! The limits of the specification and of the contract. Lengths count Unicode characters.

/// `uniqueSourceIdentifier`.
pub const SOURCE_IDENTIFIER: usize = 255;
/// `title`.
pub const TITLE: usize = 255;
/// `location_city`.
pub const LOCATION_CITY: usize = 255;
/// `expiration_reason` and `expiration.reason`.
pub const EXPIRATION_REASON: usize = 255;
/// `application_url`.
pub const APPLICATION_URL: usize = 2048;
/// `company.name`.
pub const COMPANY_NAME: usize = 255;
/// `company.website_url`.
pub const COMPANY_WEBSITE_URL: usize = 1024;
/// `company.logo_path`.
pub const COMPANY_LOGO_PATH: usize = 1024;
pub use kernel::field::INTEGER;

/// The deepest nesting of `metadata`, itself included: deeper text breaks the parsers of readers.
pub const METADATA_DEPTH: usize = 64;
