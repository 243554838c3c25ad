//! Cursors of the list: every accepted cursor is, byte for byte, a cursor that the service issues.

#![no_main]

use adapters_http::fuzz;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Some(position) = fuzz::read_cursor(text) {
        assert_eq!(fuzz::write_cursor(position), text);
    }
});
