use crate::kind::Kind;

/// A posting to prepare, and the names to hide in it.
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
    /// The region of the city, which distinguishes cities with the same name.
    pub region: Option<&'a str>,
    /// The company's name, to be hidden.
    pub company_name: &'a str,
    /// Other present or former names, to be hidden.
    pub other_names: &'a [&'a str],
    /// The company's website, to be hidden.
    pub company_website: &'a str,
    /// The address of the description's page. Relative links are relative to it.
    pub base_url: Option<&'a str>,
    /// Further phrases to hide.
    pub hide: &'a [Phrase<'a>],
}

/// A phrase to hide as whole words everywhere, in the Markdown or as readers see it:
/// `**Acme** AS` and `Acme AS` are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phrase<'a> {
    /// The words of the phrase.
    pub text: &'a str,
    /// The kind of the phrase, which decides its token.
    pub kind: Kind,
}
