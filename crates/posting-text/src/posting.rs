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
    /// The region of the city, which tells cities of one name apart.
    pub region: Option<&'a str>,
    /// The company's name, to be hidden.
    pub company_name: &'a str,
    /// Other present or former names, to be hidden.
    pub other_names: &'a [&'a str],
    /// The company's website, to be hidden.
    pub company_website: &'a str,
    /// The page that relative links are on.
    pub base_url: Option<&'a str>,
    /// Further phrases to hide.
    pub hide: &'a [Phrase<'a>],
}

/// A phrase to hide as whole words everywhere, in the Markdown or as readers see it:
/// `**Acme** AS` and `Acme AS` are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phrase<'a> {
    /// Its words.
    pub text: &'a str,
    /// Its kind, for the token.
    pub kind: Kind,
}
