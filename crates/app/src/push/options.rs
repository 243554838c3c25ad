//! The options of an import.

/// How the service is to treat lines.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImportOptions {
    /// Adds what brings an expired posting back.
    pub reopens: bool,
    pub is_strict: bool,
    pub is_dry_run: bool,
}

impl ImportOptions {
    /// A path with its query.
    pub fn path(self, path: &str, parameters: &[(&str, &str)]) -> String {
        let dry_run = self.is_dry_run.then_some(("dry_run", "true"));
        let parameters = parameters.iter().copied().chain(dry_run);
        let query: Vec<_> = parameters
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if query.is_empty() {
            path.to_owned()
        } else {
            format!("{path}?{}", query.join("&"))
        }
    }
}
