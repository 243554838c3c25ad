//! Lines that changed nothing, so that the same line needs no parsing while that holds.
//!
//! A catalogue that is sent again is mostly lines as they were. The cache keeps for each the state
//! of the posting and its company in which it changes nothing ([`Basis`]), and what it leaves
//! undone each time ([`Notice`]), by a digest of the line. The store is asked for that state all
//! the same: the cache spares parsing alone.

use std::{
    collections::HashMap,
    str,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use domain::{
    catalogue::CatalogueId,
    import::{LineOptions, LineText},
    posting::{Basis, Notice},
};
use kernel::SourceIdentifier;
use twox_hash::{XxHash3_64, XxHash3_128};

use super::naming::CompanyKey;

/// The most lines that are kept, in 48 bytes each.
const SLOTS: u64 = 1 << 20;

/// The digest of a line, with what an import options for its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineDigest {
    high: u64,
    low: u64,
}

/// The seed of the digests of an import's lines.
#[derive(Clone, Copy)]
pub(super) struct Seed(u64);

/// The lines of one process.
pub(super) struct LineCache {
    /// No client can know it, so that none can make lines of equal digests.
    seed: u64,
    kept: OnceLock<Mutex<Kept>>,
}

/// A line that changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// The state in which it does not.
    pub basis: Basis,
    /// The company that it names.
    pub company: Option<CompanyKey>,
    /// The notices that it gets. A feed has many lines with the same ones.
    pub notices: Arc<[Notice]>,
}

/// The digest in two halves, the version, the hash of the company, the key of the company that
/// the line names, and the number of its notices. Zeros are an empty place: memory that is zeroed
/// costs nothing before it is used.
type Slot = [u64; 6];

/// The most lists of notices that are kept, and the most bytes of the fields in one.
const LISTS: usize = 1_000;
const LIST_BYTES: usize = 4_000;

struct Kept {
    /// A line has one place, by its digest, and takes it from the one before.
    slots: Vec<Slot>,
    /// Lists of notices, of which the first is empty.
    lists: Vec<Arc<[Notice]>>,
    numbers: HashMap<Arc<[Notice]>, u64>,
}

impl Kept {
    fn nothing() -> Self {
        let none: Arc<[Notice]> = Arc::default();
        Self {
            slots: vec![[0; 6]; place(SLOTS)],
            numbers: [(Arc::clone(&none), 0)].into(),
            lists: vec![none],
        }
    }

    /// The number of a list of notices; `None` of one that is too long to be kept.
    fn number(&mut self, notices: &Arc<[Notice]>) -> Option<u64> {
        if let Some(number) = self.numbers.get(notices) {
            return Some(*number);
        }
        let fields = notices.iter().filter_map(Notice::field);
        if fields.map(str::len).sum::<usize>() > LIST_BYTES {
            return None;
        }
        if self.lists.len() == LISTS {
            *self = Self::nothing();
        }
        let number = self.lists.len() as u64;
        self.lists.push(Arc::clone(notices));
        self.numbers.insert(Arc::clone(notices), number);
        Some(number)
    }
}

impl LineCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self {
            seed: rand::random(),
            kept: OnceLock::new(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        let kept = self.kept.get_or_init(|| Mutex::new(Kept::nothing()));
        kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The seed for an import. The same line means something else in another catalogue.
    pub fn seed(&self, options: &LineOptions) -> Seed {
        let catalogue = options.catalogue.map(CatalogueId::uuid);
        let flags = [u8::from(options.strict), u8::from(catalogue.is_some())];
        let options = [&flags[..], catalogue.unwrap_or_default().as_bytes()].concat();
        Seed(XxHash3_64::oneshot_with_seed(self.seed, &options))
    }

    /// What is known of these lines.
    pub fn find(&self, digests: &[Option<LineDigest>]) -> Vec<Option<Known>> {
        let kept = self.kept();
        let find = |digest: &Option<LineDigest>| {
            let digest = digest.as_ref()?;
            let [high, low, version, company, named, list] = *kept.slots.get(digest.place())?;
            let is_same = *digest == LineDigest { high, low } && version != 0;
            let notices = kept.lists.get(place(list)).filter(|_| is_same)?;
            Some(Known {
                basis: Basis {
                    version: version.cast_signed(),
                    company,
                },
                company: CompanyKey::from_u64(named),
                notices: Arc::clone(notices),
            })
        };
        digests.iter().map(find).collect()
    }

    /// Keeps lines that change nothing.
    pub fn keep(&self, lines: impl Iterator<Item = (LineDigest, Known)>) {
        let mut kept = self.kept();
        for (digest, known) in lines {
            if let Some(list) = kept.number(&known.notices)
                && let Some(slot) = kept.slots.get_mut(digest.place())
            {
                *slot = [
                    digest.high,
                    digest.low,
                    known.basis.version.cast_unsigned(),
                    known.basis.company,
                    CompanyKey::as_u64(known.company),
                    list,
                ];
            }
        }
    }
}

impl LineDigest {
    /// The digest of a line; `None` of one that was too long to be kept.
    pub fn of(text: &LineText, seed: Seed) -> Option<Self> {
        let LineText::Whole(text) = text else {
            return None;
        };
        let digest = XxHash3_128::oneshot_with_seed(seed.0, text);
        let half = |digest: u128| u64::try_from(digest & u128::from(u64::MAX)).unwrap_or_default();
        Some(Self {
            high: half(digest >> 64),
            low: half(digest),
        })
    }

    fn place(self) -> usize {
        place(self.low % SLOTS)
    }
}

/// A number of slots, which is small.
fn place(number: u64) -> usize {
    usize::try_from(number).unwrap_or_default()
}

/// The identifier of a line that begins with it and has been parsed before, unless characters of
/// it are escaped.
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
    use kernel::{ClientId, testing::uuid};

    use super::*;

    fn text(line: &str) -> LineText {
        LineText::Whole(line.as_bytes().to_vec())
    }

    #[test]
    fn a_line_is_kept_for_its_wishes() {
        let cache = LineCache::new();
        let options = |strict, catalogue: Option<u128>| LineOptions {
            client: ClientId::new(uuid(1)),
            strict,
            catalogue: catalogue.map(|n| CatalogueId::new(uuid(n))),
        };
        let all = [
            options(false, None),
            options(true, None),
            options(false, Some(1)),
            options(false, Some(2)),
        ];
        let line = text(r#"{"id":"a","payload":{}}"#);
        let digest = |options| LineDigest::of(&line, cache.seed(options));
        let digests: Vec<_> = all.iter().map(digest).collect();
        assert_eq!(cache.find(&digests), vec![None; 4]);
        let known_at = |version: i64| Known {
            basis: Basis {
                version,
                company: 7,
            },
            company: CompanyKey::from_u64(version.cast_unsigned() - 1),
            notices: [Notice::UnknownField(format!("x{}", version / 2).into())].into(),
        };
        for (kept, digest) in (1..).zip(&digests) {
            cache.keep(digest.map(|digest| (digest, known_at(kept))).into_iter());
            let known = (1..=4).map(|n| (n <= kept).then(|| known_at(n)));
            assert_eq!(cache.find(&digests), known.collect::<Vec<_>>());
        }
        let other = LineDigest::of(&text(r#"{"id":"b","payload":{}}"#), cache.seed(&all[0]));
        assert_eq!(cache.find(&[other, None]), [None, None]);
    }

    #[test]
    fn lists_of_notices_are_bounded() {
        let cache = LineCache::new();
        let options = LineOptions {
            client: ClientId::new(uuid(1)),
            strict: false,
            catalogue: None,
        };
        let line = |n: usize| LineDigest::of(&text(&n.to_string()), cache.seed(&options)).unwrap();
        let known = |field: String| Known {
            basis: Basis {
                version: 1,
                company: 7,
            },
            company: None,
            notices: [Notice::UnknownField(field.into())].into(),
        };
        cache.keep([(line(0), known("x".repeat(LIST_BYTES + 1)))].into_iter());
        assert_eq!(cache.find(&[Some(line(0))]), [None]);
        for n in 1..=LISTS {
            cache.keep([(line(n), known(n.to_string()))].into_iter());
            assert!(cache.kept().lists.len() <= LISTS);
        }
        // All were forgotten when there was no room for another list.
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
