//! Regular expressions, compiled at their first use.

use regex::Regex;

/// Declares the patterns of a module, and a test that compiles each.
macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident = $pattern:expr;)+) => {
        $(
            $(#[$doc])*
            static $name: std::sync::LazyLock<regex::Regex> =
                std::sync::LazyLock::new(|| crate::pattern::compiled($pattern.as_ref()));
        )+

        #[cfg(test)]
        mod patterns {
            #[test]
            fn each_pattern_is_valid() {
                $(std::sync::LazyLock::force(&super::$name);)+
            }
        }
    };
}
pub(crate) use patterns;

#[expect(
    clippy::expect_used,
    reason = "patterns are constants, and `patterns` makes a test that compiles each"
)]
pub(crate) fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a test compiles each pattern")
}
