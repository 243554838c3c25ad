//! Parses lines on threads for long computations, except unchanged lines.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use domain::{
    import::{Line, LineError, LineOptions, LineText, Names, Parsed},
    posting::{NamedBefore, PutPosting},
    usecase::IngestError,
};
use kernel::{PostingId, Prefixes, SourceIdentifier};
use runtime::panics;
use uuid::Uuid;

use super::{
    cache::{self, Known, LineCache, LineDigest},
    naming::{Claims, Named},
};

#[derive(Debug)]
pub(super) struct Taken {
    pub lines: Vec<Line>,
    pub prefixes: Arc<Prefixes>,
}

pub(super) struct Entry {
    pub line: u64,
    /// Set even if the line is refused.
    pub names: Names,
    /// Whether the line may concern a posting that it does not name.
    pub is_uncertain: bool,
    pub company: Named,
    pub claims: Claims,
    pub work: Result<Work, LineError>,
}

pub(super) enum Work {
    Parsed(Arc<PutPosting>, Option<LineDigest>),
    /// The line changed nothing in its `known` state. In any other state it is parsed.
    Cached(Arc<CachedLine>),
}

#[derive(Clone)]
pub(super) struct CachedLine {
    pub identifier: SourceIdentifier,
    pub known: Known,
    line: Line,
    digest: LineDigest,
    prefixes: Arc<Prefixes>,
    company_named: NamedBefore,
}

impl Work {
    /// Leaves the company's name and logo to an earlier line that named the company.
    pub fn leave_company(&mut self, named: NamedBefore) {
        match self {
            _ if named == NamedBefore::No => {}
            Self::Parsed(put, _) => Arc::make_mut(put).company_named = named,
            Self::Cached(cached) => Arc::make_mut(cached).company_named = named,
        }
    }

    pub fn identifier(&self) -> &SourceIdentifier {
        match self {
            Self::Parsed(put, _) => &put.identifier,
            Self::Cached(cached) => &cached.identifier,
        }
    }
}

impl CachedLine {
    pub fn size(&self) -> usize {
        size(&self.line)
    }

    pub fn parse(&self, options: &LineOptions) -> Result<Work, LineError> {
        let mut work = entry(&self.line, &self.prefixes, options, Some(self.digest)).work?;
        work.leave_company(self.company_named);
        Ok(work)
    }
}

pub(super) fn size(line: &Line) -> usize {
    match &line.text {
        LineText::Whole(text) => text.len(),
        LineText::TooLong(line) => line.beginning.len(),
    }
}

/// Parses lines in order, except cached ones. A panic fails one line.
pub(super) fn parse(taken: Vec<Taken>, options: &LineOptions, cache: &LineCache) -> Vec<Entry> {
    let seed = cache.seed(options);
    let lines = taken.iter().flat_map(|taken| &taken.lines);
    let digests: Vec<_> = lines.map(|line| LineDigest::of(&line.text, seed)).collect();
    let mut known = cache.find(&digests).into_iter().zip(digests);
    let mut entries = Vec::with_capacity(known.len());
    for Taken { lines, prefixes } in taken {
        for line in lines {
            let (found, digest) = known.next().unwrap_or_default();
            entries.push(match found.zip(digest) {
                Some((found, digest)) => cached(line, &prefixes, options, found, digest),
                None => entry(&line, &prefixes, options, digest),
            });
        }
    }
    entries
}

/// A cached line, unless its identifier must be parsed, or the client may no longer use it.
fn cached(
    line: Line,
    prefixes: &Arc<Prefixes>,
    options: &LineOptions,
    known: Known,
    digest: LineDigest,
) -> Entry {
    let identifier = cache::identifier(&line.text);
    let Some(identifier) = identifier.filter(|identifier| prefixes.check(identifier).is_ok())
    else {
        return entry(&line, prefixes, options, Some(digest));
    };
    let names = Names::of(identifier.as_str().to_owned());
    Entry {
        line: line.number,
        is_uncertain: names.are_incomplete(prefixes),
        names,
        company: known.company.map_or(Named::Nothing, Named::Company),
        claims: known.claims,
        work: Ok(Work::Cached(Arc::new(CachedLine {
            identifier,
            known,
            line,
            digest,
            prefixes: Arc::clone(prefixes),
            company_named: NamedBefore::No,
        }))),
    }
}

fn claims(put: &PutPosting) -> Claims {
    Claims::of(put.patch.company())
}

fn entry(
    line: &Line,
    prefixes: &Prefixes,
    options: &LineOptions,
    digest: Option<LineDigest>,
) -> Entry {
    let new_id = PostingId::new(Uuid::now_v7());
    let parsed = catch_unwind(AssertUnwindSafe(|| line.parse(options, prefixes, new_id)));
    let parsed = parsed.unwrap_or_else(|panic| Parsed {
        names: line.names(),
        command: Err(IngestError::Broken(panics::message(panic.as_ref())).into()),
    });
    let Parsed { names, command } = parsed;
    Entry {
        line: line.number,
        is_uncertain: names.are_incomplete(prefixes),
        names,
        company: command.as_ref().map_or(Named::Nothing, Named::by),
        claims: command.as_ref().map(claims).unwrap_or_default(),
        work: command.map(|mut put| {
            put.new_id = new_id.in_bucket_of(&put.identifier);
            Work::Parsed(Arc::new(put), digest)
        }),
    }
}
