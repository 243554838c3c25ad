-- Everything that version 0.3.0 stores: postings with their companies, OAuth clients, catalogues,
-- newsletter subscribers, the event log, webhooks, the outbox, the audit, sign-ins, and
-- the drafts of language models.
--
-- In every table: ids are the 16 bytes of a UUID, and times are whole microseconds since
-- 1970-01-01T00:00:00Z. The checks stand for types that SQLite has not, and tie columns together;
-- what a value may be is the program's to say, which names the column of one without a meaning.

-- Upserted with the postings that name them.
CREATE TABLE companies (
    -- The UUIDv5 of the website's key: one website cannot have two rows.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name TEXT NOT NULL,
    -- As its creator sent it.
    website TEXT NOT NULL,
    -- What companies are matched by: the website in its normal form, without scheme, www. and so on.
    website_key TEXT NOT NULL,
    -- What companies that may be one are found by: the name without case and legal form, and the
    -- registered domain, or the company's own address at a hosting service.
    name_key TEXT NOT NULL,
    site TEXT NOT NULL,
    -- The company that an operator merged it into. Its website means that one. No foreign key: a
    -- copy of the database has rows in any order.
    alias_of BLOB CHECK (length(alias_of) = 16 AND alias_of <> id),
    logo_path TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- The names that it had before, newest first, at most 20, as a JSON array; NULL if it had none.
    -- Redacted texts hide them too.
    former_names TEXT CHECK (former_names IS NULL OR json_valid(former_names)),
    -- The client that owns it; NULL leaves it to the clients without prefixes.
    owner BLOB CHECK (length(owner) = 16),
    -- 1: an operator set the name, or the logo, which stands whatever clients push.
    keeps_name INTEGER NOT NULL DEFAULT 0 CHECK (keeps_name IN (0, 1)),
    keeps_logo INTEGER NOT NULL DEFAULT 0 CHECK (keeps_logo IN (0, 1)),
    -- Who changed name, logo or owner last.
    updated_by TEXT,
    -- When an operator last merged it into another one, or gave it back.
    merged_at INTEGER
) STRICT, WITHOUT ROWID;

-- The list of companies, and the search for a name.
CREATE INDEX companies_by_key ON companies (website_key) WHERE alias_of IS NULL;
CREATE INDEX companies_by_name ON companies (name_key, website_key) WHERE alias_of IS NULL;
CREATE INDEX companies_by_site ON companies (site, website_key) WHERE alias_of IS NULL;
CREATE INDEX companies_by_target ON companies (alias_of, website_key) WHERE alias_of IS NOT NULL;

-- Companies that may be one.
CREATE TABLE company_pairs (
    -- The lower id.
    one BLOB NOT NULL REFERENCES companies (id),
    other BLOB NOT NULL REFERENCES companies (id),
    -- 1: they have the same name, and a site in common.
    is_similar INTEGER NOT NULL CHECK (is_similar IN (0, 1)),
    -- The one that a client with prefixes created on the site of the other.
    lookalike BLOB CHECK (lookalike IN (one, other)),
    -- When that was found.
    since INTEGER NOT NULL,
    -- When it was last looked for.
    seen_at INTEGER NOT NULL,
    -- 1: an operator said that they are not the same.
    is_apart INTEGER NOT NULL CHECK (is_apart IN (0, 1)),
    PRIMARY KEY (one, other),
    CHECK (one < other)
) STRICT, WITHOUT ROWID;

CREATE INDEX company_pairs_by_other ON company_pairs (other);
CREATE INDEX company_pairs_similar ON company_pairs (one, other)
    WHERE is_similar AND NOT is_apart;
CREATE INDEX company_pairs_lookalike ON company_pairs (one, other)
    WHERE lookalike IS NOT NULL AND NOT is_apart;

-- Columns that are read without the others come first, large ones last: SQLite reads a row
-- from its beginning and follows it onto further pages only as far as it must.
CREATE TABLE postings (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- The posting's id in the world it comes from, compared byte for byte.
    source_identifier TEXT NOT NULL COLLATE BINARY UNIQUE,
    -- Counts the commits that wrote the row; each of them names the version it has read.
    version INTEGER NOT NULL,
    status TEXT NOT NULL,
    -- The reason of the newest change of status.
    status_reason TEXT,
    -- Why its newest content gets no verdict without an operator: no_verdict or poison; or that it
    -- is no ad and is held back: content_held. NULL if there is no such reason.
    review TEXT,
    -- 1: the status is an operator's word, a verdict or an expiry, which only an operator takes back.
    moderated INTEGER NOT NULL CHECK (moderated IN (0, 1)),
    -- No foreign key: companies are never deleted, and its check would cost every new posting.
    company_id BLOB NOT NULL CHECK (length(company_id) = 16),
    -- The alias by which it came to the company, which gets it back when it is none any more.
    came_by BLOB CHECK (length(came_by) = 16),
    -- SHA-256 of the content that the last enrichment outcome was for.
    enriched_hash BLOB,
    -- SHA-256 of the content that an operator approved, which no enricher overrules.
    approved_hash BLOB,
    is_featured INTEGER NOT NULL CHECK (is_featured IN (0, 1)),
    -- When it was first approved.
    published_at INTEGER,
    -- When its lifetime ends.
    expire_at INTEGER,
    -- When it was taken down.
    expired_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    title TEXT NOT NULL,
    -- Comma-separated, in the order sent, without repeats; '' when there are none:
    -- full-time, part-time, contract, internship.
    employment_types TEXT NOT NULL,
    -- Likewise: remote, on-site, hybrid, other.
    location_types TEXT NOT NULL,
    -- ISO 3166-1 alpha-2, upper case.
    location_country_code TEXT,
    location_city TEXT,
    -- Whole units of the currency.
    salary_min INTEGER,
    salary_max INTEGER,
    -- ISO 4217, upper case.
    salary_currency_code TEXT,
    salary_period TEXT,
    application_email TEXT,
    application_url TEXT,
    expiration_reason TEXT,
    -- The closing date of the source, and when the source published it: a day, or an RFC 3339 time
    -- in UTC. expire_at is never later than the former.
    valid_through TEXT,
    date_posted TEXT,
    requisition_id TEXT,
    -- A code of ISO 3166-2, or a name.
    location_region TEXT,
    location_postal_code TEXT,
    -- Every place of a job with more than one: an array of objects with country_code, region, city,
    -- postal_code.
    locations TEXT CHECK (locations IS NULL OR json_type(locations) = 'array'),
    -- SHA-256 of what enrichment made of it, so that a result that brings nothing new raises no
    -- event. NULL before the first result.
    texts_digest BLOB,
    -- Who created it and whose the last change is, as in posting_history.actor.
    created_by TEXT,
    updated_by TEXT,
    -- The catalogue that listed it last. No foreign key: a catalogue that is deleted leaves its
    -- postings as they are.
    catalogue_id BLOB CHECK (length(catalogue_id) = 16),
    -- The open posting with the same content, pushed first, that it duplicates, and the identifier of
    -- that one, which tells who may know of it. No foreign key: the first counts only with the second.
    duplicate_of BLOB CHECK (length(duplicate_of) = 16),
    duplicate_identifier TEXT,
    -- When a push last changed company, title, place or description; NULL if none did since the
    -- first.
    content_at INTEGER,
    -- The values that readers see while others wait for a verdict, a JSON object; NULL if none wait.
    shown TEXT CHECK (shown IS NULL OR json_valid(shown)),
    -- Since when content that is no ad is held back.
    held_at INTEGER,
    -- SHA-256 of raw_description without what changes by itself (relative dates, tracking
    -- parameters, white space): a description that is pushed again is compared without being read.
    description_digest BLOB NOT NULL,
    -- A JSON object as text, so that order and spelling stay as sent.
    metadata TEXT CHECK (metadata IS NULL OR json_valid(metadata)),
    -- HTML, as sent.
    raw_description TEXT NOT NULL
) STRICT;

-- The two orders of the list: all postings, and those of one status.
CREATE INDEX postings_by_update ON postings (updated_at, id);
CREATE INDEX postings_by_status ON postings (status, updated_at, id);

-- How many postings of each client are visible, which a worker counts every minute.
CREATE INDEX postings_visible ON postings (created_by) WHERE status = 'approved';

-- What the worker that ends lifetimes asks for. A query uses it only if it repeats the two
-- status names literally.
CREATE INDEX postings_by_end ON postings (expire_at)
    WHERE expire_at IS NOT NULL AND status IN ('PendingEnrichment', 'approved');

-- What the worker asks for that drops the texts of postings which expired long ago: those that still
-- have any. It is as small as the postings that expired lately are few. A query uses it only if it
-- repeats the conditions literally.
CREATE INDEX postings_with_old_texts ON postings (expired_at, id)
    WHERE status = 'expired' AND (enriched_hash IS NOT NULL OR texts_digest IS NOT NULL);

-- What an import of a catalogue asks for, by pages. It has no column that a push or an outcome
-- changes, so a posting moves in it only when it expires, comes back or is listed elsewhere.
CREATE INDEX postings_by_catalogue ON postings (catalogue_id, id)
    WHERE catalogue_id IS NOT NULL AND expired_at IS NULL;

-- A company's postings, the newest first; and those that came by an alias.
CREATE INDEX postings_by_company ON postings (company_id, id);
CREATE INDEX postings_by_alias ON postings (came_by, id) WHERE came_by IS NOT NULL;
CREATE INDEX postings_by_shown_company ON postings ((shown ->> 'company_id'), id)
    WHERE shown ->> 'company_id' IS NOT NULL;
CREATE INDEX postings_by_shown_alias ON postings ((shown ->> 'came_by'), id)
    WHERE shown ->> 'came_by' IS NOT NULL;

-- The copies of a posting, which are looked up anew when it ends or changes. Few postings are copies.
CREATE INDEX postings_by_original ON postings (duplicate_of, id) WHERE duplicate_of IS NOT NULL;

-- The postings whose content is held back, which a worker ends.
CREATE INDEX postings_held ON postings (held_at) WHERE held_at IS NOT NULL;

-- The postings of an opening, by the employer's own number.
CREATE INDEX postings_by_requisition ON postings (company_id, requisition_id)
    WHERE requisition_id IS NOT NULL;

-- The list of copies.
CREATE INDEX postings_copies ON postings (updated_at, id) WHERE duplicate_of IS NOT NULL;

-- What enrichment made of a posting. Apart from it, because no rule reads the texts and a
-- push does not write them.
CREATE TABLE posting_texts (
    posting_id BLOB NOT NULL PRIMARY KEY REFERENCES postings (id) ON DELETE CASCADE,
    -- WGS 84, in degrees; both or neither.
    latitude REAL,
    longitude REAL,
    markdown TEXT NOT NULL,
    -- Without what identifies the company or leads past the board.
    redacted_markdown TEXT NOT NULL,
    -- Likewise the title, one line of plain text.
    redacted_title TEXT,
    -- An object with what else was found: places, the coordinates of each of the posting's
    -- locations.
    findings TEXT CHECK (findings IS NULL OR json_type(findings) = 'object'),
    CONSTRAINT coordinates_come_together
        CHECK ((latitude IS NULL) = (longitude IS NULL))
) STRICT;

-- The newest decision whether a posting may be shown. Apart from it, because a push does not write it.
CREATE TABLE posting_decisions (
    posting_id BLOB NOT NULL PRIMARY KEY REFERENCES postings (id) ON DELETE CASCADE,
    outcome TEXT NOT NULL,
    at INTEGER NOT NULL,
    -- rules, model, operator:NAME or operator.
    decided_by TEXT NOT NULL,
    -- Of the rules; or the model's name with the version of its prompt. Unset of an operator.
    version TEXT,
    -- The reason, for programs and for people.
    code TEXT NOT NULL,
    sentence TEXT NOT NULL,
    -- What it rests on, verbatim from the posting: a JSON array.
    passages TEXT NOT NULL CHECK (json_type(passages) = 'array'),
    -- terms or law; unset of an approval.
    ground TEXT,
    -- Whether a report of a reader led to it.
    by_notice INTEGER NOT NULL CHECK (by_notice IN (0, 1)),
    -- The client's objection, and its answer: a JSON object.
    objection TEXT CHECK (objection IS NULL OR json_type(objection) = 'object'),
    -- When the client objected; set while the objection waits for an answer.
    objection_waits_since INTEGER,
    CONSTRAINT only_an_operator_has_no_version
        CHECK ((version IS NULL) = (decided_by NOT IN ('rules', 'model')))
) STRICT;

-- What operators have to answer. Few objections wait.
CREATE INDEX posting_decisions_contested ON posting_decisions (objection_waits_since, posting_id)
    WHERE objection_waits_since IS NOT NULL;

-- Every rejection and removal, for transparency reports. It has no text, and outlives the posting.
CREATE TABLE statements (
    -- No foreign key: the posting may be erased.
    posting_id BLOB NOT NULL CHECK (length(posting_id) = 16),
    at INTEGER NOT NULL,
    -- rejected or removed.
    outcome TEXT NOT NULL,
    -- terms or law.
    ground TEXT NOT NULL,
    -- The reason, for programs.
    code TEXT NOT NULL,
    -- Whether a report of a reader led to it.
    by_notice INTEGER NOT NULL CHECK (by_notice IN (0, 1)),
    -- waiting, upheld or reversed; unset without an objection.
    objection TEXT,
    PRIMARY KEY (at, posting_id)
) STRICT, WITHOUT ROWID;

-- Reports of readers about postings.
CREATE TABLE reports (
    -- Drawn at random.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- The posting, with its identifier. No foreign key: it may be erased.
    posting_id BLOB NOT NULL CHECK (length(posting_id) = 16),
    source_identifier TEXT NOT NULL,
    -- fraud, discrimination, illegal, misleading, closed or other.
    reason TEXT NOT NULL,
    -- The reader's words, and where the reader saw the posting; empty once the posting is erased.
    statement TEXT NOT NULL,
    url TEXT,
    -- The reader, for operators alone; the address in lower case. A worker removes both after the
    -- decision.
    reporter_name TEXT,
    reporter_email TEXT,
    -- When it was sent.
    at INTEGER NOT NULL,
    -- waiting, dismissed or acted.
    state TEXT NOT NULL,
    -- When an operator decided about it, the operator's name, and the answer to the reader.
    decided_at INTEGER,
    decided_by TEXT,
    sentence TEXT,
    CONSTRAINT only_a_decided_report_has_an_answer
        CHECK ((decided_at IS NULL) = (decided_by IS NULL)
            AND (decided_at IS NULL) = (sentence IS NULL)
            AND (decided_at IS NULL) = (state = 'waiting')),
    CONSTRAINT reporter_has_an_address
        CHECK (reporter_email IS NOT NULL OR reporter_name IS NULL)
) STRICT;

-- The queue of operators, and the lists of what they have decided.
CREATE INDEX reports_by_state ON reports (state, at, id);
-- Those of a posting that wait.
CREATE INDEX reports_by_posting ON reports (posting_id, state, at, id);
-- A reader has one report about a posting.
CREATE UNIQUE INDEX reports_by_reporter ON reports (reporter_email, posting_id)
    WHERE reporter_email IS NOT NULL;
-- What the worker asks for that removes names and addresses.
CREATE INDEX reports_with_reporters ON reports (decided_at, id)
    WHERE reporter_email IS NOT NULL AND decided_at IS NOT NULL;

-- What became of a posting; rows are only ever added. In the order of its key.
CREATE TABLE posting_history (
    posting_id BLOB NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    -- The version of the posting that the commit wrote which added this entry.
    version INTEGER NOT NULL,
    -- Counts the entries of one commit, from 0.
    step INTEGER NOT NULL,
    at INTEGER NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    -- client:ID, catalogue:NAME, operator:NAME, enricher, operator or lifetime.
    actor TEXT NOT NULL,
    PRIMARY KEY (posting_id, version, step)
) STRICT, WITHOUT ROWID;

-- What each change of a posting replaced; deleted when it is old.
CREATE TABLE posting_versions (
    posting_id BLOB NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    -- The version that the change made.
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    -- As in posting_history.
    actor TEXT NOT NULL,
    -- The import whose line it was: the holder of a catalogue's lease, or a random id.
    import BLOB CHECK (length(import) = 16),
    -- The values that it replaced, a JSON object by their names, with the digests of what follows.
    before TEXT NOT NULL CHECK (json_type(before) = 'object'),
    -- The description and the texts that it replaced.
    raw_description TEXT,
    markdown TEXT,
    redacted_markdown TEXT,
    redacted_title TEXT,
    latitude REAL,
    longitude REAL,
    findings TEXT CHECK (findings IS NULL OR json_type(findings) = 'object'),
    PRIMARY KEY (posting_id, version)
) STRICT;

CREATE INDEX posting_versions_by_age ON posting_versions (at);
CREATE INDEX posting_versions_by_import ON posting_versions (import, posting_id)
    WHERE import IS NOT NULL;

-- Postings that an operator called two openings, the lower id first.
CREATE TABLE distinct_postings (
    one BLOB NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    other BLOB NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    PRIMARY KEY (one, other)
) STRICT, WITHOUT ROWID;

CREATE INDEX distinct_postings_by_other ON distinct_postings (other);

-- By what duplicates of a posting are found. Made by outcomes, of postings that are open; those of
-- postings that are not open any more go when a search meets them.
CREATE TABLE posting_signatures (
    posting_id BLOB NOT NULL PRIMARY KEY REFERENCES postings (id) ON DELETE CASCADE,
    -- Hashes of company, title, place and a part of the signature. Duplicates have one in common.
    band_1 INTEGER NOT NULL,
    band_2 INTEGER NOT NULL,
    band_3 INTEGER NOT NULL,
    band_4 INTEGER NOT NULL,
    -- The MinHash signature of the description, 64 values of two bytes: equal ones tell how much two
    -- texts have in common.
    signature BLOB NOT NULL,
    -- When the posting first had content that matches this.
    since INTEGER NOT NULL,
    -- The signature of the description of that time; NULL if it is the same.
    first_signature BLOB
) STRICT, WITHOUT ROWID;

-- The oldest postings of a band, of which a search looks at a few.
CREATE INDEX posting_signatures_in_band_1 ON posting_signatures (band_1, since, posting_id);
CREATE INDEX posting_signatures_in_band_2 ON posting_signatures (band_2, since, posting_id);
CREATE INDEX posting_signatures_in_band_3 ON posting_signatures (band_3, since, posting_id);
CREATE INDEX posting_signatures_in_band_4 ON posting_signatures (band_4, since, posting_id);

-- OAuth clients: who may ask for tokens.
CREATE TABLE clients (
    -- The client_id.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    created_at INTEGER NOT NULL,
    -- Counts the commits that wrote it, but for its activity.
    version INTEGER NOT NULL DEFAULT 1,
    name TEXT NOT NULL,
    -- What it may ask for: comma-separated, without repeats.
    scopes TEXT NOT NULL,
    -- The beginnings of the identifiers of the postings that it may read and write, a JSON array;
    -- empty for the whole board.
    prefixes TEXT NOT NULL DEFAULT '[]' CHECK (prefixes LIKE '[%]'),
    -- The most requests that each process accepts from it in a minute; unset for no limit.
    requests_per_minute INTEGER,
    revoked_at INTEGER,
    -- When it last pushed, refused or not; some seconds late.
    last_push_at INTEGER,
    -- The earliest time of issue of its tokens that are accepted; NULL for any.
    tokens_from INTEGER,
    -- How often it pushes at least, as the operator expects; unset where its own rhythm says so.
    expect_every_seconds INTEGER,
    -- The approved postings that it created; about a minute late.
    visible INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- The secrets of clients: the newest, which has no end, and the one before it.
CREATE TABLE client_secrets (
    client_id BLOB NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    -- SHA-256 of the secret, which has 256 random bits and is stored nowhere.
    digest BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    -- When it ends, if a newer one has replaced it.
    expires_at INTEGER,
    -- When a token was last issued for it; some seconds late.
    last_used_at INTEGER,
    PRIMARY KEY (client_id, digest)
) STRICT, WITHOUT ROWID;

-- What clients did on each of their newest days with anything. Written every few seconds.
CREATE TABLE client_days (
    client_id BLOB NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    -- In UTC, such as 2026-12-31.
    date TEXT NOT NULL CHECK (date LIKE '____-__-__'),
    -- Pushes by what came of them; one that updated may have updated the company alone.
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    unchanged INTEGER NOT NULL,
    expired INTEGER NOT NULL,
    reopened INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    -- Of the postings that it created, those that got this verdict on the day.
    approved INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    -- Likewise, those that were rejected after they had been approved.
    withdrawn INTEGER NOT NULL,
    -- The hours of the day with pushes, as bits.
    hours INTEGER NOT NULL,
    PRIMARY KEY (client_id, date)
) STRICT, WITHOUT ROWID;

-- How often the postings of a day's pushes had each optional field, and how often each remark was
-- made on postings that the client created.
CREATE TABLE client_tallies (
    client_id BLOB NOT NULL,
    date TEXT NOT NULL,
    -- Of the field, or the code of the remark.
    name TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (client_id, date, name),
    FOREIGN KEY (client_id, date) REFERENCES client_days (client_id, date) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- The newest refused pushes of each client.
CREATE TABLE client_refusals (
    client_id BLOB NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    -- A UUIDv7: ids sort by time.
    id BLOB NOT NULL CHECK (length(id) = 16),
    at INTEGER NOT NULL,
    -- Of the posting, as far as it can be shown.
    identifier TEXT NOT NULL,
    -- Of the answer.
    status INTEGER NOT NULL,
    message TEXT NOT NULL,
    -- The codes of the broken rules, a JSON array; unset without any.
    rules TEXT CHECK (rules LIKE '[%]'),
    -- A JSON object of lists by field; unset without any.
    errors TEXT CHECK (errors LIKE '{%}'),
    -- Of the request.
    request_id TEXT,
    -- How many lines of one import were refused for that reason; this is the first.
    count INTEGER NOT NULL,
    -- Identifiers of some others, a JSON array; unset without any.
    others TEXT CHECK (others LIKE '[%]'),
    PRIMARY KEY (client_id, id)
) STRICT, WITHOUT ROWID;

-- The postings that a client offers under a name, and the import of them that is running.
-- Which postings a catalogue has is in postings.catalogue_id.
CREATE TABLE catalogues (
    -- A UUIDv7. A catalogue that was deleted and made again has another one.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    client_id BLOB NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    name TEXT NOT NULL COLLATE BINARY,
    -- When its first import began.
    created_at INTEGER NOT NULL,
    -- The import that is running, a random id, and when its lease ends if it is not renewed. Only a
    -- commit that finds the id here may write for the import.
    holder BLOB CHECK (length(holder) = 16),
    leased_until INTEGER,
    -- Imports, by the holders of their leases: the last one that ended; the last one that was complete
    -- and not held back, whose misses count; and the last one that expired or changed any posting,
    -- unset once that is undone.
    last_import BLOB CHECK (length(last_import) = 16),
    counted_import BLOB CHECK (length(counted_import) = 16),
    expiring_import BLOB CHECK (length(expiring_import) = 16),
    -- The last complete import, if it was held back and not released. While an import runs it stands
    -- in held_before: the postings that the import names are released no more.
    held_import BLOB CHECK (length(held_import) = 16),
    held_before BLOB CHECK (length(held_before) = 16),
    UNIQUE (client_id, name),
    CONSTRAINT lease_has_a_holder
        CHECK ((holder IS NULL) = (leased_until IS NULL))
) STRICT, WITHOUT ROWID;

-- The last imports of catalogues that ended, with what came of them.
CREATE TABLE catalogue_imports (
    catalogue_id BLOB NOT NULL REFERENCES catalogues (id) ON DELETE CASCADE,
    -- The holder of its lease.
    import BLOB NOT NULL CHECK (length(import) = 16),
    started_at INTEGER NOT NULL,
    finished_at INTEGER NOT NULL,
    -- Its lines that were not blank, and what came of them.
    lines INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    unchanged INTEGER NOT NULL,
    expired INTEGER NOT NULL,
    reopened INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    -- The service could not answer these.
    failed INTEGER NOT NULL,
    -- Those without an answer that may be about a posting which they do not name.
    unattributed INTEGER NOT NULL,
    -- The notices of its lines: a JSON object of numbers by code.
    notices TEXT CHECK (json_type(notices) = 'object'),
    -- What it did to what was there, a JSON object; unset of an incomplete one.
    changes TEXT CHECK (json_type(changes) = 'object'),
    -- The open postings that no line named, and those of them that expired; unset if the import did
    -- not get so far.
    missing INTEGER,
    missing_expired INTEGER,
    -- Why none of them expired, if that is so. A release unsets it.
    held_because TEXT,
    is_released INTEGER NOT NULL CHECK (is_released IN (0, 1)),
    -- Whether every line had an answer, and the body ended as it should.
    is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1)),
    PRIMARY KEY (catalogue_id, import),
    CONSTRAINT missing_are_counted_together
        CHECK ((missing IS NULL) = (missing_expired IS NULL)),
    CONSTRAINT held_are_missing
        CHECK (held_because IS NULL OR missing IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- What became of open postings that an import of their catalogue missed. Deleted once catalogues does
-- not name their import any more.
CREATE TABLE missed_postings (
    -- The holder of the import's lease.
    import BLOB NOT NULL CHECK (length(import) = 16),
    -- No foreign key: it may be deleted.
    posting_id BLOB NOT NULL CHECK (length(posting_id) = 16),
    -- Whether the import left it open, expired it, or held it back. Of one that expired, whether an
    -- undo reopened it or left it; of one that was held back, whether a release expired it or kept it.
    -- Of a posting that the import changed, whether an undo restored it or left it; undone once a
    -- release followed that undo.
    state TEXT NOT NULL,
    -- Of one that was left open, the number of imports in a row that have missed it.
    misses INTEGER,
    PRIMARY KEY (import, posting_id),
    CONSTRAINT open_ones_are_counted CHECK ((state = 'open') = (misses IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- What is known of an e-mail address: as the membership system reports the person, and as the
-- e-mail provider says they stand. Deleted only when a person was erased, or has another address.
CREATE TABLE subscribers (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- Counts the commits that wrote the row; each of them names the version it has read.
    version INTEGER NOT NULL,
    -- Trimmed and in lower case, compared byte for byte. One address cannot have two rows, so a
    -- report and a suppression that race for it meet.
    email TEXT NOT NULL COLLATE BINARY UNIQUE,
    -- When the membership system first reported the person; until then the row only keeps what
    -- the provider said about the address.
    reported_at INTEGER,
    name TEXT,
    -- By its name.
    country TEXT,
    -- Whose membership it is, where it stands, and until when it is paid for (as 2026-12-31).
    -- All unset without a membership.
    membership_plan_category TEXT,
    membership_status TEXT,
    membership_expires_at TEXT CHECK (
        membership_expires_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'
    ),
    -- Whether the person may be written to: the strongest that was ever seen.
    status TEXT NOT NULL,
    -- From what a suppression was learnt, in which account where that is known, when, and why: an
    -- operator's words, or what is known of the delivery.
    suppressed_by TEXT,
    suppressed_in TEXT,
    suppressed_at INTEGER,
    suppressed_because TEXT,
    -- When an operator reinstated the person last: what the provider says of before that does
    -- not count.
    reinstated_at INTEGER,
    -- Why the address is to go from both accounts, if it is: the person has another one, whose row
    -- is the one that is named, or is to be forgotten.
    departure TEXT,
    moved_to BLOB CHECK (length(moved_to) = 16),
    -- The provider's id of the person in each account, once that has shown one; whether the
    -- account is known to send nothing to a person who is suppressed; and whether this service
    -- itself has unsubscribed the person there, or was about to.
    old_id TEXT,
    old_is_quiet INTEGER NOT NULL DEFAULT 0 CHECK (old_is_quiet IN (0, 1)),
    old_is_withdrawn INTEGER NOT NULL DEFAULT 0 CHECK (old_is_withdrawn IN (0, 1)),
    new_id TEXT,
    new_is_quiet INTEGER NOT NULL DEFAULT 0 CHECK (new_is_quiet IN (0, 1)),
    new_is_withdrawn INTEGER NOT NULL DEFAULT 0 CHECK (new_is_withdrawn IN (0, 1)),
    -- The moment of which the last report that says one is.
    reported_as_of INTEGER,
    -- When the person moved to the provider's new account, and who moved them; unset in the old
    -- one.
    migrated_at INTEGER,
    migration_source TEXT,
    -- 1: the provider's accounts show the move already.
    migration_arrived INTEGER NOT NULL CHECK (migration_arrived IN (0, 1)),
    -- Which accounts have shown the person in the course of the move: the old one when they were
    -- found there, the new one when they had joined its group, under this address or one before.
    migration_shown_in TEXT,
    -- What lets the holder of an e-mailed link move. A secret.
    migration_token TEXT NOT NULL COLLATE BINARY UNIQUE,
    -- SHA-256 of what the account that the person is in is known to hold; unset while that is
    -- not known.
    synced_digest BLOB,
    -- When an account was last told, or shown to hold, what was news to it.
    synced_at INTEGER,
    updated_at INTEGER NOT NULL,
    CONSTRAINT membership_has_plan_and_status
        CHECK ((membership_plan_category IS NULL) = (membership_status IS NULL)),
    CONSTRAINT only_a_membership_ends
        CHECK (membership_status IS NOT NULL OR membership_expires_at IS NULL),
    CONSTRAINT suppression_has_a_time
        CHECK ((suppressed_by IS NULL) = (suppressed_at IS NULL)),
    CONSTRAINT who_moved_has_another_row
        CHECK ((coalesce(departure, '') = 'moved') = (moved_to IS NOT NULL)),
    CONSTRAINT nobody_is_reported_and_departs
        CHECK (departure IS NULL OR reported_at IS NULL),
    CONSTRAINT only_a_suppression_has_an_account
        CHECK (suppressed_by IS NOT NULL OR suppressed_in IS NULL),
    CONSTRAINT only_a_suppression_has_a_reason
        CHECK (suppressed_by IS NOT NULL OR suppressed_because IS NULL),
    CONSTRAINT migration_has_a_source
        CHECK ((migrated_at IS NULL) = (migration_source IS NULL)),
    CONSTRAINT only_a_migration_arrives
        CHECK (migrated_at IS NOT NULL OR migration_arrived = 0),
    CONSTRAINT only_a_migration_is_shown
        CHECK (migrated_at IS NOT NULL OR migration_shown_in IS NULL)
) STRICT;

-- Who is still in the old account, in the order of the list. A query uses it only if it repeats
-- both conditions. (The list of all goes by the index of the address.)
CREATE INDEX subscribers_unmigrated ON subscribers (email)
    WHERE migrated_at IS NULL AND reported_at IS NOT NULL;

-- Who is suppressed, reported or not, in the order of the list. A query uses it only if it
-- repeats the condition.
CREATE INDEX subscribers_suppressed ON subscribers (email) WHERE status <> 'active';

-- Which process speaks to which of the provider's accounts: one at a time keeps to its request
-- limit.
CREATE TABLE account_leases (
    account TEXT NOT NULL PRIMARY KEY,
    -- A random id of the process.
    holder BLOB NOT NULL CHECK (length(holder) = 16),
    -- When the lease ends if it is not renewed: a process that died holds nothing for long.
    ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What is kept of each of the provider's accounts beside its lease: pauses outlast processes.
CREATE TABLE account_states (
    account TEXT NOT NULL PRIMARY KEY,
    -- Until when nothing is sent to it, and why.
    paused_until INTEGER,
    pause_reason TEXT,
    -- When its whole list was read to the end last.
    reconciled_at INTEGER
) STRICT, WITHOUT ROWID;

-- What is remembered of suppressed people who were erased: HMAC-SHA-256 of the address, with the
-- key below, and how the person stood.
CREATE TABLE erased_suppressions (
    hash BLOB NOT NULL PRIMARY KEY,
    status TEXT NOT NULL,
    -- When that became all that is known.
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The key of these hashes, made once. A secret.
CREATE TABLE erasure_keys (
    singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
    key BLOB NOT NULL
) STRICT;

INSERT INTO erasure_keys (singleton, key) VALUES (1, randomblob(32));

-- What has to happen outside the database, written in the commit that makes it necessary.
--
-- A row is an effect: a key without data, whose handler loads the current state. There is at most
-- one row for each. A finished task is deleted.
CREATE TABLE outbox (
    -- In the order written, and never used again: an operator may name a row that is gone.
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- The kind of effect, as the context that owns it declares it. Kinds and their lanes are not
    -- listed here, because a new one would make it necessary to build the table anew.
    kind TEXT NOT NULL,
    -- The UUID of what it is for: a posting or a subscriber. No foreign key: kinds differ in what
    -- they are for.
    subject BLOB NOT NULL CHECK (length(subject) = 16),
    -- The lane of its kind that was asked for last, of kinds that have several: of 'sync' the
    -- provider's account. One that ends with -bulk waits behind all others.
    account TEXT,
    -- Counts how often an effect was asked for. A task that was asked for again since it was
    -- claimed is due once more when it is finished.
    generation INTEGER NOT NULL DEFAULT 1,
    -- How often it was claimed since it was asked for anew.
    attempts INTEGER NOT NULL DEFAULT 0,
    -- When it is due, or when its lease ends: a task whose worker died is due by itself.
    next_at INTEGER NOT NULL,
    -- The claim it is worked on under.
    lease BLOB CHECK (length(lease) = 16),
    -- How many claims in a row ended without a report: their workers died, perhaps of this task.
    lost INTEGER NOT NULL DEFAULT 0,
    -- The first failed attempt since it was asked for anew.
    first_failed_at INTEGER,
    last_error TEXT,
    -- Given up then; it stays until an operator revives it or it is asked for again.
    dead_at INTEGER,
    created_at INTEGER NOT NULL,
    -- The trace that the task belongs to, as the header traceparent has it; NULL if it is not traced.
    trace_parent TEXT,
    CONSTRAINT dead_task_has_no_lease
        CHECK (dead_at IS NULL OR lease IS NULL),
    CONSTRAINT lost_claim_has_a_lease
        CHECK (lost = 0 OR lease IS NOT NULL)
) STRICT;

-- One row for each effect.
CREATE UNIQUE INDEX outbox_effects ON outbox (kind, subject);

-- What workers ask for: the tasks of a queue that are due, the longest due first; and those whose
-- lease ended, likewise. A task is in one of them or in neither, so a claim costs one entry.
CREATE INDEX outbox_due ON outbox (kind, account, next_at)
    WHERE dead_at IS NULL AND lease IS NULL;
CREATE INDEX outbox_leased ON outbox (kind, account, next_at) WHERE lease IS NOT NULL;

-- What operators ask for.
CREATE INDEX outbox_dead ON outbox (kind) WHERE dead_at IS NOT NULL;

-- What happened, written in the commit that caused it and never changed. Readers go by the key:
-- another index of all events would cost every commit more than it would save.
CREATE TABLE events (
    -- In the order of the commits, and never used again: it is the place of the event in the log.
    number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- When it happened.
    at INTEGER NOT NULL,
    -- As the context that raises it declares it. Names are not listed here, because a new one would
    -- make it necessary to build the table anew.
    name TEXT NOT NULL,
    -- The UUID of what it is about: a posting, a company or a subscriber. No foreign key: what
    -- happened stays true.
    subject BLOB NOT NULL CHECK (length(subject) = 16),
    -- Of a posting, as the commit left it. All unset of another subject; the reason may be unset.
    source_identifier TEXT,
    version INTEGER,
    status TEXT,
    status_reason TEXT,
    -- Likewise of a company. The path may be unset.
    company_name TEXT,
    company_website TEXT,
    company_logo_path TEXT,
    -- The trace of its cause, as the header traceparent has it; NULL if it is not traced.
    trace_parent TEXT,
    -- Of a company: who changed it, and the one that it was merged into.
    company_updated_by TEXT,
    company_merged_into BLOB CHECK (length(company_merged_into) = 16),
    -- Of a decision about a posting: its code.
    decision_code TEXT,
    -- Likewise terms or law, unset of an approval; and whether a report of a reader led to it.
    decision_ground TEXT,
    decision_by_notice INTEGER NOT NULL DEFAULT 0 CHECK (decision_by_notice IN (0, 1)),
    -- Of a report of a reader: the posting. Such an event has the posting's identifier; its status
    -- is acted or dismissed, and its status_reason the answer to the reader.
    reported_posting BLOB CHECK (reported_posting IS NULL OR length(reported_posting) = 16),
    -- Of a matter that needs attention: the item, a JSON object.
    attention TEXT CHECK (json_type(attention) = 'object'),
    CONSTRAINT posting_has_a_version
        CHECK ((source_identifier IS NULL) = (version IS NULL)),
    CONSTRAINT posting_has_a_status
        CHECK ((source_identifier IS NULL) = (status IS NULL)),
    CONSTRAINT only_a_posting_has_a_reason
        CHECK (source_identifier IS NOT NULL OR status_reason IS NULL),
    CONSTRAINT only_a_posting_has_a_decision
        CHECK (source_identifier IS NOT NULL OR decision_code IS NULL),
    CONSTRAINT subject_is_posting_or_company
        CHECK (source_identifier IS NULL OR company_name IS NULL),
    CONSTRAINT company_has_name_and_website
        CHECK ((company_name IS NULL) = (company_website IS NULL)),
    CONSTRAINT only_a_company_has_a_logo
        CHECK (company_name IS NOT NULL OR company_logo_path IS NULL)
) STRICT;

-- Webhooks pass over events of a company that has a newer one.
CREATE INDEX events_of_companies ON events (subject, number) WHERE company_name IS NOT NULL;

-- What is known of the log as a whole, in one row.
CREATE TABLE event_log (
    singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
    -- The number of the last event that was deleted: a reader whose cursor is before it has missed
    -- events.
    deleted_number INTEGER NOT NULL
) STRICT;

INSERT INTO event_log (singleton, deleted_number) VALUES (1, 0);

-- Webhooks: receivers of events, how far the deliveries to each of them are, and the last attempts.

-- A receiver, as its owner registered it; and what workers know of it.
CREATE TABLE webhook_endpoints (
    -- A UUIDv7: ids sort by age.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- client:ID or operator.
    owner TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- Counts the changes by its owner, its disabling, and events that are sent again.
    version INTEGER NOT NULL,
    url TEXT NOT NULL,
    -- The names of the wanted events, a JSON array; unset for all public ones.
    names TEXT CHECK (names LIKE '[%]'),
    -- The beginnings of the identifiers of the postings that it may see, a JSON array; empty for
    -- the whole board.
    prefixes TEXT NOT NULL CHECK (prefixes LIKE '[%]'),
    -- Whether events of a posting carry the posting.
    include_posting INTEGER NOT NULL CHECK (include_posting IN (0, 1)),
    -- The owner's own words.
    description TEXT,
    state TEXT NOT NULL,
    -- Why it is disabled.
    state_reason TEXT,
    -- A secret: the key that signs deliveries, as it is. Not a digest, because each delivery is
    -- signed with it: a reader of this file can sign in the service's name.
    secret BLOB NOT NULL,
    -- A secret as well: the key before, and until when it signs beside the new one.
    previous_secret BLOB,
    previous_secret_until INTEGER,
    -- When its version was written.
    updated_at INTEGER NOT NULL,

    -- The place in the event log of the last event that was delivered, waits or was passed.
    commit_seq INTEGER NOT NULL,
    number INTEGER NOT NULL,
    -- How it fares: the last success, the first failure since then, the number of rounds without
    -- an answer since the last one, and until when it is left alone.
    last_success_at INTEGER,
    failing_since INTEGER,
    silent_rounds INTEGER NOT NULL DEFAULT 0,
    open_until INTEGER,
    -- Counts the attempts that were recorded, and so numbers them.
    attempts INTEGER NOT NULL DEFAULT 0,
    -- The worker that delivers to it: a random id.
    holder BLOB CHECK (length(holder) = 16),
    -- When the lease ends if it is not renewed; without a holder, when the endpoint may be leased
    -- again.
    leased_until INTEGER,
    CONSTRAINT disabled_has_a_reason
        CHECK ((state = 'disabled') = (state_reason IS NOT NULL)),
    CONSTRAINT previous_secret_has_an_end
        CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL)),
    CONSTRAINT holder_has_a_lease
        CHECK (holder IS NULL OR leased_until IS NOT NULL)
) STRICT;

CREATE INDEX webhook_endpoints_by_owner ON webhook_endpoints (owner, id);

-- Subjects whose events wait for an endpoint: the last attempt at the next one failed, or there were
-- too many of them for one round. One that is settled is deleted.
CREATE TABLE webhook_waiting (
    endpoint BLOB NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    -- The UUID of what the events are about.
    subject BLOB NOT NULL CHECK (length(subject) = 16),
    -- The place of the next event in the log, and its name. No foreign key: the log forgets.
    commit_seq INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    -- At the next event.
    attempts INTEGER NOT NULL,
    -- When the next attempt is due.
    next_at INTEGER NOT NULL,
    last_error TEXT,
    -- Whether the last attempt was not answered.
    is_silent INTEGER NOT NULL CHECK (is_silent IN (0, 1)),
    -- The events that wait behind it, a JSON array of texts: a cursor, a space and a name.
    later TEXT NOT NULL CHECK (later LIKE '[%]'),
    -- The cursor up to which they are listed, if that is not the endpoint's place: further ones are
    -- found in the log.
    read_to TEXT,
    PRIMARY KEY (endpoint, subject)
) STRICT, WITHOUT ROWID;

-- The longest due first.
CREATE INDEX webhook_waiting_due ON webhook_waiting (endpoint, next_at, commit_seq, number);
-- Those that are due when the endpoint answers again.
CREATE INDEX webhook_waiting_silent ON webhook_waiting (endpoint, next_at) WHERE is_silent;

-- The newest attempts at each endpoint. Their number is fixed, so a new one takes the row of the
-- oldest.
CREATE TABLE webhook_deliveries (
    endpoint BLOB NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    -- The rest of its position, divided by how many are kept.
    slot INTEGER NOT NULL,
    -- Counts the attempts at the endpoint.
    position INTEGER NOT NULL,
    -- When it ended.
    at INTEGER NOT NULL,
    -- The place of the event in the log, and its name.
    commit_seq INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    -- Counts the attempts at this event.
    attempt INTEGER NOT NULL,
    -- Of the answer; unset without one.
    status INTEGER,
    duration_ms INTEGER NOT NULL,
    -- Why it failed.
    error TEXT,
    PRIMARY KEY (endpoint, slot)
) STRICT, WITHOUT ROWID;

-- What an operator or integrator should look at, as a worker found it last.
CREATE TABLE attention_items (
    -- Derived from the kind and its subject.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    kind TEXT NOT NULL,
    -- The name of what it is about.
    subject TEXT NOT NULL,
    -- The client that it is about. No foreign key: the next check ends it.
    client_id BLOB CHECK (length(client_id) = 16),
    since INTEGER NOT NULL,
    -- What is the matter, and what to do.
    sentence TEXT NOT NULL,
    -- The path of the console's page about it.
    page TEXT NOT NULL,
    -- Whether it is about postings, so that clients without prefixes may see it.
    is_of_board INTEGER NOT NULL CHECK (is_of_board IN (0, 1))
) STRICT, WITHOUT ROWID;

-- The last check of that, in one row; without a row there was none.
CREATE TABLE attention_checks (
    singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
    -- Counts the checks. Each names the one before, so that none is based on older items.
    version INTEGER NOT NULL,
    at INTEGER NOT NULL
) STRICT;

-- What operators did, each line written with what it tells of. People are named by their ids, so
-- that no address is kept here.
CREATE TABLE audit (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- One command's, which may act on many subjects.
    run BLOB NOT NULL CHECK (length(run) = 16),
    at INTEGER NOT NULL,
    -- The name of the operator.
    operator TEXT NOT NULL,
    -- Such as 'subscribers.suppress'. Not listed here, so that a new one needs no migration.
    action TEXT NOT NULL,
    -- To whom or what it was done: a subscriber's id, a posting's source identifier.
    subject TEXT,
    -- Further things to say: a JSON object.
    details TEXT NOT NULL CHECK (details LIKE '{%}')
) STRICT, WITHOUT ROWID;

-- The order in which it is read: all, by operator, by action, by subject. Few entries
-- are written.
CREATE INDEX audit_newest ON audit (at, id);
CREATE INDEX audit_by_operator ON audit (operator, at, id);
CREATE INDEX audit_by_action ON audit (action, at, id);
CREATE INDEX audit_by_subject ON audit (subject, at, id);

-- What lets a browser act for an operator or a client: links that sign in once, and sessions.
CREATE TABLE sign_in_tokens (
    -- SHA-256 of the token, which has 256 random bits and is stored nowhere.
    digest BLOB NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    -- For whom it is: operator:NAME or client:ID.
    holder TEXT NOT NULL,
    -- What it permits, as far as the client still has these scopes. Empty for an operator.
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- When it ends. A worker deletes it some time later.
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the worker asks for that deletes them.
CREATE INDEX sign_in_tokens_by_end ON sign_in_tokens (expires_at);

-- Of each holder the newest are kept.
CREATE INDEX sign_in_tokens_by_holder ON sign_in_tokens (holder, kind, created_at);

-- What a language model was paid for, so that nobody pays for the same content twice. What is
-- long unused is deleted.
--
-- A row begins as a reservation, by the worker that asks the model, and becomes the draft.
CREATE TABLE drafts (
    -- SHA-256 of everything that the draft depends on: the content of a posting, the model and
    -- its instructions.
    key BLOB NOT NULL PRIMARY KEY,
    -- The worker that gets the draft: a random id. Unset once there is one.
    holder BLOB CHECK (length(holder) = 16),
    -- When the reservation ends if it is not renewed: a process that died keeps nobody waiting
    -- for long. Unset once there is a draft.
    reserved_until INTEGER,
    -- When the draft was last kept or found, give or take a day; before there is one, when it
    -- was first asked for.
    used_at INTEGER NOT NULL,
    -- As the model's adapter writes it; unset while reserved.
    draft TEXT,
    -- The posting that it was kept for, with which it is erased. No foreign key: what only expires
    -- leaves its draft, which another posting with the same content may use.
    posting_id BLOB CHECK (length(posting_id) = 16),
    CONSTRAINT reservation_has_a_holder
        CHECK ((draft IS NULL) = (holder IS NOT NULL)),
    CONSTRAINT reservation_has_an_end
        CHECK ((holder IS NULL) = (reserved_until IS NULL))
) STRICT;

-- What has been unused for longest.
CREATE INDEX drafts_used ON drafts (used_at);

-- What an erasure asks for.
CREATE INDEX drafts_by_posting ON drafts (posting_id) WHERE draft IS NOT NULL;

-- What lets programs of the version before go on with a schema that a newer one has migrated: which
-- programs can work with it. It has one row. A migration that removes what older programs use changes
-- it.
CREATE TABLE schema_compatibility (
    -- True: there is one row.
    singleton INTEGER NOT NULL PRIMARY KEY DEFAULT 1 CHECK (singleton = 1),
    -- The version of a migration. Programs that know it can work with the schema, also if it has later
    -- migrations that they do not know.
    needs TEXT NOT NULL CHECK (needs <> '')
) STRICT;

INSERT INTO schema_compatibility (needs) VALUES ('20261124000000');
