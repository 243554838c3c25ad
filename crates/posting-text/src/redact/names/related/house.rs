//! Houses with names of their own: hotels, restaurants, schools and homes of the employer.

use super::{
    Context, Cues, List, OUR, Word, begins_sentence, beside::after_phrase, lists::HOUSE_FOR,
    word_before,
};

/// The words on each side in which a name counts as repeated.
const NEAR: usize = 400;
/// Languages with the name before the word for the house.
const AFTER_NAME: Cues = Cues::NORDIC
    .union(Cues::FINNIC)
    .union(Cues::HUNGARIAN)
    .union(Cues::TURKISH)
    .union(Cues::ENGLISH);

/// A word for a house, such as "hotel", in the text.
#[derive(Clone, Copy)]
pub(super) struct House<'c> {
    pub(super) context: &'c Context<'c>,
    pub(super) at: usize,
    pub(super) title: &'c [Word<'c>],
}

impl<'c> House<'c> {
    fn is_title(self) -> bool {
        self.context.all.len() == self.title.len()
    }

    /// The title, if it is not the text itself.
    fn other_title(self) -> &'c [Word<'c>] {
        if self.is_title() { &[] } else { self.title }
    }

    fn near(self) -> &'c [Word<'c>] {
        let all = self.context.all;
        &all[self.at.saturating_sub(NEAR)..all.len().min(self.at + NEAR)]
    }

    /// Whether a house of this name is the employer's: by the words before it, or because the
    /// text repeats it or the title has it.
    pub(super) fn is_own(self, name: &Word<'_>) -> bool {
        // German nouns have capitals: "im Hotel Köche und Kellner", but "im Haus Ulmenhof in".
        static AFTER: List = List::new("in im am an bei der die das sucht ist liegt");
        /// Ends of places in Finnish: "uuden kahvilan Kallioon".
        static PLACES: List =
            List::new("aan een iin oon uun yyn ään öön ssa ssä sta stä lla llä lta ltä lle");
        let Self { context, at, .. } = self;
        let (all, noun) = (context.all, &context.all[at]);
        if context.families.intersects(Cues::FINNIC) && PLACES.ends(&name.lower) {
            return false;
        }
        let pairs = self.near().windows(2).chain(self.other_title().windows(2));
        let uses = pairs.filter(|pair| pair[0].lower == noun.lower && pair[1].lower == name.lower);
        let before = &all[at.saturating_sub(2)..at];
        let has = |list: &List| before.iter().any(|it| list.has(&it.lower));
        let is_german = context.has_noun_capitals();
        let has_article = before
            .last()
            .is_some_and(|it| matches!(&*it.lower, "das" | "dem"));
        let next = all.iter().find(|next| next.start >= name.end());
        let is_beside = |next: &&Word<'_>| &context.text[name.end()..next.start] == " ";
        let is_followed = next
            .filter(is_beside)
            .is_some_and(|next| AFTER.has(&next.lower));
        let is_noun = is_german && noun.is_upper() && !has_article && !is_followed;
        let is_named = self.is_title()
            || begins_sentence(context.text, all[at.saturating_sub(1)].start)
            || self.title.iter().any(|it| it.lower == name.lower)
            || !is_german && noun.is_upper() && !begins_sentence(context.text, noun.start);
        let is_sure = context.families.intersects(Cues::FINNIC)
            || has(&HOUSE_FOR)
            || has_article
            || is_named && !context.families.intersects(Cues::ENGLISH);
        !context.is_of_city(&name.lower) && (has(&OUR) || uses.count() > 1 || is_sure && !is_noun)
    }

    /// `Solängens förskola`; at the start of a sentence, only a name that the text repeats.
    pub(super) fn name_before(self) -> Option<&'c [Word<'c>]> {
        static OTHERS: List = List::new("an en ei et ett egy bir one each every");
        let Self { context, at, .. } = self;
        let (text, all) = (context.text, context.all);
        let last = word_before(all, at)?;
        let bare = last.lower.trim_end_matches(['s', 'n']);
        let is_place = context.is_place(bare) || context.is_place(&last.lower);
        let is_beside = &text[last.end()..all[at].start] == " ";
        let is_our = OUR.has(&last.lower);
        if !context.families.intersects(AFTER_NAME) || !is_beside || is_place || is_our {
            return None;
        }
        let stem = &last.lower[..last.lower.floor_char_boundary(last.lower.len() - 1)];
        let named = self.near().iter().chain(self.other_title());
        let uses = named.filter(|word| word.is_upper() && word.lower.starts_with(stem));
        let is_repeated = last.is_upper() && uses.count() > 1;
        let run = after_phrase(context, at, &[]);
        let run = run.or_else(|| is_repeated.then(|| &all[at - 1..at]))?;
        let before = word_before(all, at - run.len()).map_or("", |word| &word.lower);
        let is_english = context.families.intersects(Cues::ENGLISH);
        let is_the = matches!(before, "the" | "our") || run[0].text == "The" || is_repeated;
        (!OTHERS.has(before) && (!is_english || is_the)).then_some(run)
    }
}
