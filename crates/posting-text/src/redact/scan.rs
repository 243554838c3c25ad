use super::{
    Hidden, Kind, address, email,
    found::{add, retain_outside},
    handle, id, names, person, phone,
    phrase::add_phrases,
    web,
    words::{self, Text, Word},
};
use crate::{Budget, Posting, Result};

#[derive(Debug)]
pub(crate) struct Scan<'a> {
    pub(crate) text: &'a str,
    pub(crate) words: Vec<Word<'a>>,
    pub(crate) contacts: Vec<Hidden>,
    pub(crate) label: Option<String>,
}

impl<'a> Scan<'a> {
    /// With [`SEPARATOR`](crate::document::SEPARATOR) after each paragraph.
    pub(crate) fn of(text: &'a str, website: &str, budget: &Budget) -> Result<Self> {
        budget.spend(text.len().saturating_mul(2))?;
        let label = web::label(website);
        let mut words = words::words(text);
        words.retain(|word| !is_token(text, word));
        let mut contacts = Vec::new();
        add(&mut contacts, web::urls(text, budget)?, Kind::Link);
        let emails = email::emails(text, &words, budget)?;
        add(&mut contacts, emails, Kind::Email);
        let domains = web::domains(text, label.as_deref(), budget)?;
        add(&mut contacts, domains, Kind::Link);
        let spelled = web::spelled_out(&words, label.as_deref());
        add(&mut contacts, spelled, Kind::Link);
        add(&mut contacts, id::ids(text, &words, budget)?, Kind::Id);
        let handles = handle::handles(text, &words, budget)?;
        add(&mut contacts, handles, Kind::Handle);
        add(&mut contacts, phone::phones(text, budget)?, Kind::Phone);
        Ok(Self {
            text,
            words,
            contacts,
            label,
        })
    }

    /// Also returns the names of related companies.
    pub(crate) fn find(
        self,
        posting: &Posting<'_>,
        budget: &Budget,
    ) -> Result<(Vec<Hidden>, Vec<String>)> {
        budget.spend(self.text.len() + self.contacts.len())?;
        let Self {
            text,
            mut words,
            contacts: mut found,
            label,
        } = self;
        retain_outside(&mut words, &found);
        let names = names::Names::new(posting, label, Text::new(text, &words, budget))?;
        let companies = names.find(Text::new(text, &words, budget))?;
        add(&mut found, companies, Kind::Company);
        retain_outside(&mut words, &found);
        let addresses = address::addresses(Text::new(text, &words, budget), &found, posting.city)?;
        if !addresses.is_empty() {
            add(&mut found, addresses, Kind::Address);
            retain_outside(&mut words, &found);
        }
        let on = Text::new(text, &words, budget);
        let persons = person::persons(on, names.families, &found, posting.country)?;
        add(&mut found, persons, Kind::Person);
        add_phrases(&mut found, text, posting.hide, budget)?;
        Ok((found, names.related))
    }
}

fn is_token(text: &str, word: &Word<'_>) -> bool {
    text[..word.start].ends_with('[')
        && text[word.end()..].starts_with(']')
        && Kind::ALL.iter().any(|kind| kind.name() == word.text)
}
