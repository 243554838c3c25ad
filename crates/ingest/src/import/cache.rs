//! Caches lines that changed nothing, so that a repeated line needs no parsing.
//!
//! Most lines of a repeated catalogue are unchanged. For the digest of a line, the cache keeps the
//! state of posting and company in which the line changes nothing ([`Basis`]), and the line's
//! notices ([`Notice`]). The store is still asked for the current state; only parsing is saved.

use std::{
    collections::HashMap,
    str,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use domain::{
    catalogue::CatalogueId,
    import::{LineOptions, LineText},
    posting::{Basis, Details, Notice},
};
use kernel::SourceIdentifier;
use twox_hash::{XxHash3_64, XxHash3_128};

use super::naming::{Claims, CompanyKey};

/// The number of places of a set. A line may be in either of two sets, so the cache fills nearly
/// all of its million places before it drops lines.
const WAYS: usize = 8;

/// The number of sets: together they have 2^20 places of 32 bytes.
const SETS: usize = (1 << 20) / WAYS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineDigest(u128);

#[derive(Clone, Copy)]
pub(super) struct Seed(u64);

pub(super) struct LineCache {
    /// Secret, so that no client can construct lines with equal digests.
    seed: u64,
    kept: OnceLock<Mutex<Kept>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub basis: Basis,
    pub company: Option<CompanyKey>,
    pub claims: Claims,
    /// The line's notices. Many lines of a feed have the same notices.
    pub notices: Arc<[Notice]>,
    /// The posting's optional fields, as bits.
    pub fields: u64,
}

/// The four words of a place: a part of the digest (with fields and notice number in its lowest
/// bits), the basis, the company key, the claims. An empty place is all zeros, because zeroed
/// memory costs nothing before use.
///
/// A lookup compares 53 bits of a line's digest: this part, and the set's number. That is enough:
/// if two lines collide, the basis still differs unless both lines are of one posting.
type Slot = [u64; 4];

const EMPTY: Slot = [0; 4];

const LIST: u64 = (1 << LIST_BITS) - 1;
const LIST_BITS: usize = 10;

/// The bits of a slot beside the digest: notice number and optional fields.
const BESIDE: u64 = (1 << (LIST_BITS + Details::OPTIONAL_FIELDS.len())) - 1;

/// The largest number of kept notice lists. One more empties the cache.
const LISTS: usize = 1_000;
/// The largest total length of the field names in a kept list, in bytes.
const LIST_BYTES: usize = 4_000;

struct Kept {
    sets: Vec<[Slot; WAYS]>,
    /// The first list is empty.
    lists: Vec<Arc<[Notice]>>,
    numbers: HashMap<Arc<[Notice]>, u64>,
}

impl Kept {
    fn new(sets: usize) -> Self {
        let none: Arc<[Notice]> = Arc::default();
        Self {
            sets: vec![[EMPTY; WAYS]; sets],
            numbers: [(Arc::clone(&none), 0)].into(),
            lists: vec![none],
        }
    }

    /// A notice list's number; `None` if it is too long to keep.
    fn number(&mut self, notices: &Arc<[Notice]>) -> Option<u64> {
        if let Some(number) = self.numbers.get(notices) {
            return Some(*number);
        }
        let fields = notices.iter().filter_map(Notice::field);
        if fields.map(str::len).sum::<usize>() > LIST_BYTES {
            return None;
        }
        if self.lists.len() == LISTS {
            *self = Self::new(self.sets.len());
        }
        let number = self.lists.len() as u64;
        self.lists.push(Arc::clone(notices));
        self.numbers.insert(Arc::clone(notices), number);
        Some(number)
    }

    fn find(&self, digest: LineDigest) -> Option<&Slot> {
        let sets = digest
            .sets(self.sets.len())
            .into_iter()
            .filter_map(|set| self.sets.get(set));
        sets.flatten().find(|slot| digest.is_of(slot))
    }

    /// The slot for a line: its present one, else an empty one in the emptier set, else another
    /// line's.
    fn take(&mut self, digest: LineDigest) -> Option<&mut Slot> {
        let sets = digest.sets(self.sets.len());
        let places = || (0..WAYS).flat_map(|way| sets.map(|set| (set, way)));
        let slot = |(set, way): &(usize, usize)| self.sets.get(*set).and_then(|set| set.get(*way));
        let own = places().find(|place| slot(place).is_some_and(|slot| digest.is_of(slot)));
        let empty = || places().find(|place| slot(place) == Some(&EMPTY));
        let (set, way) = own.or_else(empty).unwrap_or((sets[0], digest.way()));
        self.sets.get_mut(set)?.get_mut(way)
    }
}

impl LineCache {
    pub fn new() -> Self {
        Self {
            seed: rand::random(),
            kept: OnceLock::new(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        let kept = self.kept.get_or_init(|| Mutex::new(Kept::new(SETS)));
        kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The seed of an import: a line means something else in another catalogue.
    pub fn seed(&self, options: &LineOptions) -> Seed {
        let catalogue = options.catalogue.map(CatalogueId::uuid);
        let flags = [options.handling as u8, u8::from(catalogue.is_some())];
        let options = [&flags[..], catalogue.unwrap_or_default().as_bytes()].concat();
        Seed(XxHash3_64::oneshot_with_seed(self.seed, &options))
    }

    pub fn find(&self, digests: &[Option<LineDigest>]) -> Vec<Option<Known>> {
        let kept = self.kept();
        let find = |digest: &Option<LineDigest>| {
            let [mark, basis, company, claims] = *kept.find((*digest)?)?;
            Some(Known {
                basis: Basis(basis),
                company: CompanyKey::from_u64(company),
                claims: Claims::from_u64(claims),
                notices: kept.lists.get(place(mark & LIST)).map(Arc::clone)?,
                fields: (mark & BESIDE) >> LIST_BITS,
            })
        };
        digests.iter().map(find).collect()
    }

    pub fn keep(&self, lines: impl Iterator<Item = (LineDigest, Known)>) {
        let mut kept = self.kept();
        for (digest, known) in lines {
            if let Some(list) = kept.number(&known.notices)
                && let Some(slot) = kept.take(digest)
            {
                let company = CompanyKey::as_u64(known.company);
                let claims = known.claims.as_u64();
                let beside = (known.fields << LIST_BITS | list) & BESIDE;
                *slot = [digest.mark() | beside, known.basis.0, company, claims];
            }
        }
    }
}

impl LineDigest {
    pub fn of(text: &LineText, seed: Seed) -> Option<Self> {
        let LineText::Whole(text) = text else {
            return None;
        };
        Some(Self(XxHash3_128::oneshot_with_seed(seed.0, text)))
    }

    fn mark(self) -> u64 {
        half(self.0 >> 64) & !BESIDE
    }

    fn is_of(self, slot: &Slot) -> bool {
        let [mark, ..] = *slot;
        mark & !BESIDE == self.mark() && *slot != EMPTY
    }

    fn sets(self, count: usize) -> [usize; 2] {
        let low = half(self.0);
        [low, low >> 32].map(|part| place(part % count as u64))
    }

    fn way(self) -> usize {
        place(half(self.0) >> 61)
    }
}

fn half(digest: u128) -> u64 {
    u64::try_from(digest & u128::from(u64::MAX)).unwrap_or_default()
}

fn place(number: u64) -> usize {
    usize::try_from(number).unwrap_or_default()
}

/// Reads the identifier of a line with a cached result, without parsing the line. `None` if it has
/// escapes or is not the first member.
pub(super) fn identifier(text: &LineText) -> Option<SourceIdentifier> {
    let LineText::Whole(text) = text else {
        return None;
    };
    let rest = text.strip_prefix(b"{")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"\"id\"")?.trim_ascii_start();
    let rest = rest.strip_prefix(b":")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"\"")?;
    let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    let (id, after) = rest.split_at(end);
    if !after.starts_with(b"\"") {
        return None;
    }
    SourceIdentifier::new(str::from_utf8(id).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use domain::posting::Handling;
    use kernel::{ClientId, testing::uuid};

    use super::*;

    fn text(line: &str) -> LineText {
        LineText::Whole(line.as_bytes().to_vec())
    }

    #[test]
    fn a_line_is_kept_for_its_wishes() {
        let cache = LineCache::new();
        let options = |handling, catalogue: Option<u128>| LineOptions {
            client: ClientId::new(uuid(1)),
            handling,
            catalogue: catalogue.map(|n| CatalogueId::new(uuid(n))),
            import: None,
        };
        let all = [
            options(Handling::Usual, None),
            options(Handling::Strict, None),
            options(Handling::Lenient, None),
            options(Handling::Usual, Some(1)),
            options(Handling::Usual, Some(2)),
        ];
        let line = text(r#"{"id":"a","payload":{}}"#);
        let digest = |options| LineDigest::of(&line, cache.seed(options));
        let digests: Vec<_> = all.iter().map(digest).collect();
        assert_eq!(cache.find(&digests), vec![None; 5]);
        let known_at = |state: u64| Known {
            basis: Basis(state),
            company: CompanyKey::from_u64(state - 1),
            claims: Claims::from_u64(state << 32 | 7),
            notices: [Notice::UnknownField(format!("x{}", state / 2).into())].into(),
            fields: state,
        };
        for (kept, digest) in (1..).zip(&digests) {
            cache.keep(digest.map(|digest| (digest, known_at(kept))).into_iter());
            let known = (1..=5).map(|n| (n <= kept).then(|| known_at(n)));
            assert_eq!(cache.find(&digests), known.collect::<Vec<_>>());
        }
        let other = LineDigest::of(&text(r#"{"id":"b","payload":{}}"#), cache.seed(&all[0]));
        assert_eq!(cache.find(&[other, None]), [None, None]);
    }

    #[test]
    fn of_as_many_lines_as_there_is_room_for_nearly_all_are_kept() {
        let (mut kept, lines) = (Kept::new(1 << 10), 0..7_800_u64);
        let digest = |n: u64| LineDigest(XxHash3_128::oneshot(&n.to_be_bytes()));
        for n in lines.clone().chain(lines.clone()) {
            let mark = digest(n).mark();
            *kept.take(digest(n)).unwrap() = [mark, n, 0, 0];
        }
        let found = lines.clone().filter(|n| {
            let slot = kept.find(digest(*n));
            assert!(slot.is_none_or(|[_, basis, ..]| basis == n));
            slot.is_some()
        });
        assert!(found.count() * 100 > 95 * 7_800);
    }

    #[test]
    fn lists_of_notices_are_bounded() {
        let cache = LineCache::new();
        let options = LineOptions {
            client: ClientId::new(uuid(1)),
            handling: Handling::Usual,
            catalogue: None,
            import: None,
        };
        let line = |n: usize| LineDigest::of(&text(&n.to_string()), cache.seed(&options)).unwrap();
        let known = |field: String| Known {
            basis: Basis(7),
            company: None,
            claims: Claims::default(),
            notices: [Notice::UnknownField(field.into())].into(),
            fields: 0,
        };
        cache.keep([(line(0), known("x".repeat(LIST_BYTES + 1)))].into_iter());
        assert_eq!(cache.find(&[Some(line(0))]), [None]);
        for n in 1..=LISTS {
            cache.keep([(line(n), known(n.to_string()))].into_iter());
            assert!(cache.kept().lists.len() <= LISTS);
        }
        let last = Some(known(LISTS.to_string()));
        assert_eq!(
            cache.find(&[Some(line(1)), Some(line(LISTS))]),
            [None, last]
        );
    }

    #[test]
    fn the_identifier_is_read_where_it_comes_first() {
        for (line, expected) in [
            (r#"{"id":"a:1","payload":{}}"#, Some("a:1")),
            (r#"{ "id" : "b", "payload": {}}"#, Some("b")),
            (r#"{"id":"\u00fc","payload":{}}"#, None),
            (r#"{"payload":{},"id":"a"}"#, None),
            (r#"{"id":"a\"b"}"#, None),
            (r#"{"id":""}"#, None),
            (r#"{"id":"a"#, None),
            (r#"{"id":1}"#, None),
        ] {
            let found = identifier(&text(line));
            let found = found.as_ref().map(SourceIdentifier::as_str);
            assert_eq!(found, expected, "{line}");
        }
    }
}
