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

/// A table of patterns, of which any may match. Lines that begin with `# ` are comments.
pub(crate) fn one_of(table: &str) -> String {
    let lines = table.lines().filter(|line| !line.starts_with("# "));
    lines.collect::<Vec<_>>().join("|")
}

#[expect(
    clippy::expect_used,
    reason = "patterns are constants, and `patterns` makes a test that compiles each"
)]
pub(crate) fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a test compiles each pattern")
}
