//! Job postings as values: pushed, stored, and read.
//!
//! [`PutPosting`] is the command of the specification's operation, with the fields of
//! [`PostingPatch`]. [`Posting`] is the stored form, and [`Trigger`] has the table of its states.
//! [`Enrichment`] is an enricher's result, and [`duplicate`] finds postings that offer the same
//! job. [`decision`](crate::decision) has the rules.

mod answer;
mod basis;
mod content;
mod decision;
mod description;
pub mod duplicate;
mod effects;
mod enrichment;
mod essence;
pub mod event;
mod fields;
mod fire;
mod judged;
mod lenient;
mod lifetime;
mod location;
mod metadata;
mod min_hash;
pub mod moderation;
mod nearest;
mod notice;
mod put;
mod remark;
mod repeat;
mod shown;
mod state;
mod transition;
mod values;
mod version;
mod vocabulary;
mod words;

use ::fields::codes::{CountryCode, CurrencyCode};

pub use self::{
    answer::{Answer, IngestError, Rejection},
    basis::Basis,
    content::{ContentHash, TextsDigest},
    decision::{
        DecidedBy, Decision, DecisionOutcome, Ground, MOST_PASSAGES, Objection, ObjectionState,
        Statement, Verdict,
    },
    description::Description,
    effects::Effects,
    enrichment::{Coordinates, EnrichedTexts, Enrichment, Findings},
    event::{COMPANIES, DUPLICATES, ENRICH, enrich, look_up_duplicates, settle_company},
    fields::{CompanyPatch, Details, Expiration, PostingPatch},
    lifetime::Lifetime,
    location::{Location, LocationPatch, Locations, MOST_LOCATIONS},
    metadata::Metadata,
    notice::{Notice, NoticeCode, NoticeCounts},
    put::{Handling, NamedBefore, PutPosting},
    remark::{Remark, RemarkCode},
    repeat::RepeatAnswer,
    shown::{Held, Pending, Shown},
    state::{HistoryEntry, Original, Posting, PostingView},
    transition::{Review, State, Trigger},
    values::{COMPANY, DESCRIPTION, TEXTS, Values},
    version::{AsOf, PostingVersion, Replaced, Rewind},
    vocabulary::{EmploymentType, LocationType, ReasonCode, SalaryPeriod},
};
pub(crate) use self::{
    essence::skeleton,
    fields::check_email,
    fire::{Cause, Fired},
    lenient::Payload,
    state::CLOSED,
};
