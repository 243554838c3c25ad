use std::borrow::Cow;

const MOST_FIELDS: usize = 1_000;

/// Non-blank fields in order, trimmed.
#[derive(Clone, Debug, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    pub fn with_values<'a>(values: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        let values = values.into_iter();
        Self(
            values
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }

    pub fn parse(text: &str) -> Self {
        let fields = url::form_urlencoded::parse(text.as_bytes()).take(MOST_FIELDS);
        // No stored text has U+0000, and PostgreSQL refuses to compare with it.
        let clean = |text: Cow<'_, str>| text.replace('\0', "\u{fffd}");
        let fields = fields.map(|(name, value)| (clean(name), clean(value).trim().to_owned()));
        Self(fields.filter(|(_, value)| !value.is_empty()).collect())
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        let mut fields = self.0.iter();
        fields
            .find(|(field, _)| field == name)
            .map(|(_, value)| value.as_str())
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let fields = self.0.iter().filter(move |(field, _)| field == name);
        fields.map(|(_, value)| value.as_str())
    }

    pub fn address(&self, path: &str) -> String {
        let fields = self.others("").finish();
        let mark = if fields.is_empty() { "" } else { "?" };
        format!("{path}{mark}{fields}")
    }

    /// An address with the same fields, but with this value for one of them.
    pub fn with(&self, path: &str, name: &str, value: &str) -> String {
        let mut fields = self.others(name);
        format!("{path}?{}", fields.append_pair(name, value).finish())
    }

    /// Cuts a list that was read with one row more than a page. If the list continues, returns the
    /// next page's address, which contains the last row's place.
    pub fn next<T>(
        &self,
        path: &str,
        name: &str,
        (rows, most): (&mut Vec<T>, usize),
        place: impl FnOnce(&T) -> String,
    ) -> Option<String> {
        let has_more = rows.len() > most;
        rows.truncate(most);
        let last = rows.last().filter(|_| has_more)?;
        Some(self.with(path, name, &place(last)))
    }

    /// The other fields, without `before` (a position in a list) and the action just done, which do
    /// not apply to another address.
    fn others(&self, name: &str) -> url::form_urlencoded::Serializer<'static, String> {
        let others = self.0.iter();
        let others =
            others.filter(|(field, _)| !["did", "seal", "before", name].contains(&&**field));
        let mut fields = url::form_urlencoded::Serializer::new(String::new());
        fields.extend_pairs(others);
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_has_no_nul() {
        let query = Query::parse("q=a%00b&empty=%20");
        assert_eq!(query.get("q"), Some("a\u{fffd}b"));
        assert_eq!(query.get("empty"), None);
    }
}
