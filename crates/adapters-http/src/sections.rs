//! All sections, in the order of the OpenAPI document.

use crate::{
    attention, event, health, import, integration, oauth, posting, report, section::Section,
    subscriber, webhook,
};

pub const SECTIONS: &[Section] = &[
    posting::SECTION,
    import::SECTION,
    event::SECTION,
    report::SECTION,
    webhook::SECTION,
    integration::SECTION,
    attention::SECTION,
    subscriber::SECTION,
    oauth::SECTION,
    health::SECTION,
];
