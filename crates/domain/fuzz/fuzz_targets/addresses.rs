//! Fuzzes websites, identifiers and metadata: a second normalisation changes nothing.

#![no_main]

use fields::{Website, body::compact_object};
use kernel::{CompanyId, SourceIdentifier};
use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;

fuzz_target!(|text: &str| {
    if let Ok(website) = Website::parse(text) {
        let again = Website::parse(website.as_str()).expect("a stored website is a website");
        assert_eq!(again.as_str(), website.as_str());
        assert_eq!(CompanyId::of(&again.key()), CompanyId::of(&website.key()));
    }
    if let Ok(identifier) = SourceIdentifier::from_path_segment(text) {
        assert_eq!(SourceIdentifier::new(identifier.as_str()), Ok(identifier));
    }
    // `compact_object` takes only text that was parsed before.
    let is_json = serde_json::from_str::<&RawValue>(text).is_ok();
    if is_json && let Ok(metadata) = compact_object(text.trim_ascii()) {
        assert_eq!(compact_object(&metadata), Ok(metadata));
    }
});
