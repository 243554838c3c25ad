use super::{
    Hidden, Kind, email,
    found::{add, merged, retain_outside},
    handle, id,
    names::Names,
    person, phone,
    phrase::add_phrases,
    tagger, web,
    words::{self, Text, Word},
};
use crate::{Budget, Posting, Range, Result};

/// The most companies whose spellings are looked for, and the bytes of a name.
const MAX_RELATED: usize = 8;
const MAX_NAME: usize = 120;

#[derive(Debug)]
pub(crate) struct Scan<'a> {
    pub(crate) text: &'a str,
    pub(crate) words: Vec<Word<'a>>,
    pub(crate) contacts: Vec<Hidden>,
    pub(crate) label: Option<String>,
    is_title: bool,
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
        add(&mut contacts, phone::certain(text).collect(), Kind::Phone);
        Ok(Self {
            text,
            words,
            contacts,
            label,
            is_title: false,
        })
    }

    pub(crate) fn of_line(text: &'a str, website: &str, budget: &Budget) -> Result<Self> {
        let scan = Self::of(text, website, budget)?;
        Ok(Self {
            is_title: true,
            ..scan
        })
    }

    /// Finds contacts and the company by rules. Returns the words outside of all finds, the finds,
    /// and the names.
    pub(super) fn known(
        self,
        posting: &Posting<'_>,
        budget: &Budget,
    ) -> Result<(Vec<Word<'a>>, Vec<Hidden>, Names)> {
        budget.spend(self.text.len() + self.contacts.len())?;
        let Self {
            text,
            mut words,
            contacts: mut found,
            label,
            is_title,
        } = self;
        retain_outside(&mut words, &found);
        let names = Names::new(posting, label, Text::new(text, &words, budget), is_title)?;
        let companies = names.find(Text::new(text, &words, budget))?;
        add(&mut found, companies, Kind::Company);
        retain_outside(&mut words, &found);
        Ok((words, found, names))
    }

    /// Also returns the names of related companies.
    pub(crate) fn find(
        self,
        posting: &Posting<'_>,
        budget: &Budget,
    ) -> Result<(Vec<Hidden>, Vec<String>)> {
        let (text, is_title) = (self.text, self.is_title);
        let (mut words, mut found, names) = self.known(posting, budget)?;
        let on = Text::new(text, &words, budget);
        let has_digits = |text: &str| text.contains(char::is_numeric);
        let mut tagged = tagger::tagged(on, &found, posting, names.families)?;
        // A title has too few words for the other finds of the model.
        tagged.retain(|it| {
            let is_number = matches!(it.kind, Kind::Phone | Kind::Address);
            !is_title || is_number && has_digits(&text[it.range.clone()])
        });
        let of_kind = |kind| {
            let ranges = tagged.iter().filter(move |it| it.kind == kind);
            ranges.map(|it| it.range.clone()).collect::<Vec<Range>>()
        };
        let persons = person::persons(on, names.families, of_kind(Kind::Person))?;
        let companies = of_kind(Kind::Company);
        let mut related: Vec<String> = Vec::new();
        for name in companies.iter().map(|range| &text[range.clone()]) {
            let is_new = name.len() <= MAX_NAME && !related.iter().any(|known| known == name);
            if is_new && related.len() < MAX_RELATED {
                related.push(name.to_owned());
            }
        }
        for kind in [Kind::Address, Kind::Phone, Kind::Id] {
            add(&mut found, of_kind(kind), kind);
        }
        let companies = companies.iter().map(|range| whole(text, range, &related));
        add(&mut found, merged(companies.collect()), Kind::Company);
        add(&mut found, persons, Kind::Person);
        let names: Vec<&str> = related.iter().map(String::as_str).collect();
        if let [company_name, other_names @ ..] = names.as_slice() {
            retain_outside(&mut words, &found);
            let of_related = Posting {
                company_name,
                other_names,
                ..*posting
            };
            let names = Names::new(&of_related, None, Text::new(text, &words, budget), is_title)?;
            let companies = names.find(Text::new(text, &words, budget))?;
            add(&mut found, companies, Kind::Company);
        }
        add_phrases(&mut found, text, posting.hide, budget)?;
        Ok((found, related))
    }
}

/// The longest name around a part of it: all of `有明テクノ` where the model took `テクノ`.
fn whole(text: &str, part: &Range, names: &[String]) -> Range {
    let around = |name: &String| {
        let start = part.start.checked_sub(name.find(&text[part.clone()])?)?;
        let whole = start..start + name.len();
        (text.get(whole.clone())? == name).then_some(whole)
    };
    let longest = names.iter().filter_map(around).max_by_key(Range::len);
    longest.unwrap_or_else(|| part.clone())
}

fn is_token(text: &str, word: &Word<'_>) -> bool {
    text[..word.start].ends_with('[')
        && text[word.end()..].starts_with(']')
        && Kind::ALL.iter().any(|kind| kind.name() == word.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_name_is_all_of_it_where_the_name_is() {
        let names = ["有明テクノ", "テクノ", "有明テクノ工業"].map(String::from);
        for (text, part, expect) in [
            ("|有明テクノへ", "テクノ", "有明テクノ"),
            ("有明テクノ工業", "テクノ", "有明テクノ工業"),
            ("明テクノへ", "テクノ", "テクノ"),
            ("有明へ", "有明", "有明"),
        ] {
            let start = text.find(part).unwrap();
            let found = whole(text, &(start..start + part.len()), &names);
            assert_eq!(&text[found], expect, "{text}");
        }
    }
}
