//! A posting, as the rules read it.

use crate::kind::Kind;

/// A posting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Posting<'a> {
    /// The title.
    pub title: &'a str,
    /// The description in any form: HTML, Markdown, lines of text.
    pub description: &'a str,
    /// The country of the workplace: ISO 3166-1 alpha-2, in upper case.
    pub country: Option<&'a str>,
    /// The city of the workplace.
    pub city: Option<&'a str>,
    /// The company's name, which the redacted text must not contain.
    pub company_name: &'a str,
    /// Further names that the company has or had, which the redacted text must not contain either.
    pub other_names: &'a [&'a str],
    /// The company's website, which the redacted text must not contain.
    pub company_website: &'a str,
    /// The page that relative links of the description are on.
    pub base_url: Option<&'a str>,
    /// Phrases that the redacted text must not contain beside what the rules find.
    pub hide: &'a [Phrase<'a>],
}

/// A phrase that must not be shown wherever it stands as whole words.
///
/// It may be in the words of the Markdown or in those that a reader sees: `**Acme** AS` and
/// `Acme AS` are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phrase<'a> {
    /// Its words.
    pub text: &'a str,
    /// Its kind, for the token.
    pub kind: Kind,
}
