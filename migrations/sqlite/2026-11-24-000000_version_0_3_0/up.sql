-- The schema of version 0.3.0: postings with their companies, OAuth clients, catalogues, newsletter
-- subscribers, the event log, webhooks, the outbox, the audit, sign-ins, and the drafts of language
-- models.
--
-- In all tables, ids are the 16 bytes of a UUID, and times are whole microseconds since
-- 1970-01-01T00:00:00Z. Checks replace types that SQLite lacks, and relate columns to each other.
-- The program decides which values are valid, and names the column of an invalid value.

-- Pushes of postings create and update companies.
CREATE TABLE companies (
    -- The UUIDv5 of website_key, so that a website cannot have two rows.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name TEXT NOT NULL,
    -- The website as the creator sent it.
    website TEXT NOT NULL,
    -- Identifies a company: the website in its normal form, without scheme, www. and so on.
    website_key TEXT NOT NULL,
    -- Two keys to find duplicates. name_key is the name without case and legal form. site is the
    -- registered domain, or the company's own address at a hosting service.
    name_key TEXT NOT NULL,
    site TEXT NOT NULL,
    -- The company into which an operator merged this one. Pushes with this website count for that
    -- company. There is no foreign key, because a copy of the database gets rows in any order.
    alias_of BLOB CHECK (length(alias_of) = 16 AND alias_of <> id),
    logo_path TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- Former names, newest first, at most 20, as a JSON array. NULL if there are none. They are
    -- redacted from texts, too.
    former_names TEXT CHECK (former_names IS NULL OR json_valid(former_names)),
    -- The client that owns the company. Of the clients with prefixes, only the owner may change it.
    owner BLOB CHECK (length(owner) = 16),
    -- 1 if an operator set the name (or the logo). Pushes then do not change it.
    keeps_name INTEGER NOT NULL DEFAULT 0 CHECK (keeps_name IN (0, 1)),
    keeps_logo INTEGER NOT NULL DEFAULT 0 CHECK (keeps_logo IN (0, 1)),
    -- The actor that last changed the name, the logo or the owner.
    updated_by TEXT,
    -- When an operator last merged the company, or undid a merge.
    merged_at INTEGER
) STRICT, WITHOUT ROWID;

-- The list of companies, and the search for a name.
CREATE INDEX companies_by_key ON companies (website_key) WHERE alias_of IS NULL;
CREATE INDEX companies_by_name ON companies (name_key, website_key) WHERE alias_of IS NULL;
CREATE INDEX companies_by_site ON companies (site, website_key) WHERE alias_of IS NULL;
CREATE INDEX companies_by_target ON companies (alias_of, website_key) WHERE alias_of IS NOT NULL;

-- Companies that may be duplicates.
CREATE TABLE company_pairs (
    -- The lower id.
    one BLOB NOT NULL REFERENCES companies (id),
    other BLOB NOT NULL REFERENCES companies (id),
    -- 1 if the companies have the same name and site.
    is_similar INTEGER NOT NULL CHECK (is_similar IN (0, 1)),
    -- The company that a client with prefixes created on the other company's site.
    lookalike BLOB CHECK (lookalike IN (one, other)),
    -- When the pair was found.
    since INTEGER NOT NULL,
    -- When a search last examined the pair.
    seen_at INTEGER NOT NULL,
    -- 1 if an operator decided that the companies are different.
    is_apart INTEGER NOT NULL CHECK (is_apart IN (0, 1)),
    PRIMARY KEY (one, other),
    CHECK (one < other)
) STRICT, WITHOUT ROWID;

CREATE INDEX company_pairs_by_other ON company_pairs (other);
CREATE INDEX company_pairs_similar ON company_pairs (one, other)
    WHERE is_similar AND NOT is_apart;
CREATE INDEX company_pairs_lookalike ON company_pairs (one, other)
    WHERE lookalike IS NOT NULL AND NOT is_apart;

-- Columns that are read alone come first, and large columns last: SQLite reads a row from its
-- beginning, and reads further pages only when needed.
CREATE TABLE postings (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- The posting's id in its source, compared byte for byte.
    source_identifier TEXT NOT NULL COLLATE BINARY UNIQUE,
    -- Increases with each commit that writes the row. A commit must name the version that it read.
    version INTEGER NOT NULL,
    status TEXT NOT NULL,
    -- The reason of the newest change of status.
    status_reason TEXT,
    -- Why the newest content gets no verdict without an operator (no_verdict or poison), or that it
    -- is held back because it is not a job ad (content_held). NULL if there is no such reason.
    review TEXT,
    -- 1 if an operator set the status, by a verdict or an expiry. Only an operator can reverse such
    -- a rejection or expiry.
    moderated INTEGER NOT NULL CHECK (moderated IN (0, 1)),
    -- There is no foreign key: companies are never deleted, and a check would slow new postings.
    company_id BLOB NOT NULL CHECK (length(company_id) = 16),
    -- The alias by which the posting came to the company. If the merge is undone, the posting
    -- returns to the alias.
    came_by BLOB CHECK (length(came_by) = 16),
    -- SHA-256 of the content of the last enrichment outcome.
    enriched_hash BLOB,
    -- SHA-256 of the content that an operator approved. No enricher overrules this approval.
    approved_hash BLOB,
    is_featured INTEGER NOT NULL CHECK (is_featured IN (0, 1)),
    -- When the posting was first approved.
    published_at INTEGER,
    -- When the posting's lifetime ends.
    expire_at INTEGER,
    -- When the posting expired.
    expired_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    title TEXT NOT NULL,
    -- Comma-separated, in the order sent, each once; '' if there are none. Values: full-time,
    -- part-time, contract, internship.
    employment_types TEXT NOT NULL,
    -- In the same form. Values: remote, on-site, hybrid, other.
    location_types TEXT NOT NULL,
    -- ISO 3166-1 alpha-2, upper case.
    location_country_code TEXT,
    location_city TEXT,
    -- In whole units of the currency.
    salary_min INTEGER,
    salary_max INTEGER,
    -- ISO 4217, upper case.
    salary_currency_code TEXT,
    salary_period TEXT,
    application_email TEXT,
    application_url TEXT,
    expiration_reason TEXT,
    -- The closing date in the source, and when the source published the posting: a day, or an RFC
    -- 3339 time in UTC. expire_at is never after the closing date.
    valid_through TEXT,
    date_posted TEXT,
    requisition_id TEXT,
    -- An ISO 3166-2 code, or a name.
    location_region TEXT,
    location_postal_code TEXT,
    -- All places of a job with several: an array of objects of country_code, region, city,
    -- postal_code.
    locations TEXT CHECK (locations IS NULL OR json_type(locations) = 'array'),
    -- SHA-256 of the enrichment's result. If a new result is the same, it raises no event. NULL
    -- before the first result.
    texts_digest BLOB,
    -- The actors that created the posting and last changed it (see posting_history.actor).
    created_by TEXT,
    updated_by TEXT,
    -- The catalogue that last listed the posting. There is no foreign key: deleting a catalogue
    -- does not change its postings.
    catalogue_id BLOB CHECK (length(catalogue_id) = 16),
    -- The original of this duplicate: the first open posting with the same content. The original's
    -- identifier decides which clients may see it. There is no foreign key: the id counts only
    -- together with the identifier.
    duplicate_of BLOB CHECK (length(duplicate_of) = 16),
    duplicate_identifier TEXT,
    -- When a push last changed company, title, place or description. NULL before the first change.
    content_at INTEGER,
    -- The values that readers see while new ones wait for a verdict: a JSON object. NULL if none
    -- wait.
    shown TEXT CHECK (shown IS NULL OR json_valid(shown)),
    -- The time since which content is held back because it is not a job ad.
    held_at INTEGER,
    -- Digest of raw_description. So a repeated description is recognised without being read.
    description_digest BLOB NOT NULL,
    -- Digest of raw_description without parts that change by themselves (relative dates, tracking
    -- parameters, white space).
    description_essence BLOB NOT NULL,
    -- A JSON object as text, so that order and spelling stay as sent.
    metadata TEXT CHECK (metadata IS NULL OR json_valid(metadata)),
    -- HTML as sent.
    raw_description TEXT NOT NULL
) STRICT;

-- The two orders of the list: all postings, and the postings of a status.
CREATE INDEX postings_by_update ON postings (updated_at, id);
CREATE INDEX postings_by_status ON postings (status, updated_at, id);

-- Counts each client's visible postings. A worker does so every minute.
CREATE INDEX postings_visible ON postings (created_by) WHERE status = 'approved';

-- Finds postings whose lifetime has ended. A query must name the two statuses literally to use it.
CREATE INDEX postings_by_end ON postings (expire_at)
    WHERE expire_at IS NOT NULL AND status IN ('PendingEnrichment', 'approved');

-- Finds postings that expired long ago and still have texts. The index is small, because the texts
-- of older postings are deleted. A query must repeat the conditions literally to use it.
CREATE INDEX postings_with_old_texts ON postings (expired_at, id)
    WHERE status = 'expired' AND (enriched_hash IS NOT NULL OR texts_digest IS NOT NULL);

-- Finds a catalogue's postings page by page. Pushes and outcomes change none of its columns: an
-- entry only changes when a posting expires, reopens, or moves to another catalogue.
CREATE INDEX postings_by_catalogue ON postings (catalogue_id, id)
    WHERE catalogue_id IS NOT NULL AND expired_at IS NULL;

-- The postings of a company, and those that came by an alias.
CREATE INDEX postings_by_company ON postings (company_id, id);
CREATE INDEX postings_by_alias ON postings (came_by, id) WHERE came_by IS NOT NULL;
CREATE INDEX postings_by_shown_company ON postings ((shown ->> 'company_id'), id)
    WHERE shown ->> 'company_id' IS NOT NULL;
CREATE INDEX postings_by_shown_alias ON postings ((shown ->> 'came_by'), id)
    WHERE shown ->> 'came_by' IS NOT NULL;

-- A posting's copies, which are checked again when it ends or changes. Few postings are copies.
CREATE INDEX postings_by_original ON postings (duplicate_of, id) WHERE duplicate_of IS NOT NULL;

-- The postings whose content is held back until a worker ends the hold.
CREATE INDEX postings_held ON postings (held_at) WHERE held_at IS NOT NULL;

-- The postings with a requisition number of the employer.
CREATE INDEX postings_by_requisition ON postings (company_id, requisition_id)
    WHERE requisition_id IS NOT NULL;

-- The list of copies.
CREATE INDEX postings_copies ON postings (updated_at, id) WHERE duplicate_of IS NOT NULL;

-- The result of enriching a posting. It is a separate table, because rules do not read the texts
-- and pushes do not write them.
CREATE TABLE posting_texts (
    posting_id BLOB NOT NULL PRIMARY KEY REFERENCES postings (id) ON DELETE CASCADE,
    -- WGS 84, in degrees. Both are set, or neither is.
    latitude REAL,
    longitude REAL,
    markdown TEXT NOT NULL,
    -- The text without parts that identify the company or lead around the board.
    redacted_markdown TEXT NOT NULL,
    -- The title, redacted in the same way: one line of plain text.
    redacted_title TEXT,
    -- An object with other findings: places, and the coordinates of the posting's locations.
    findings TEXT CHECK (findings IS NULL OR json_type(findings) = 'object'),
    CONSTRAINT coordinates_come_together
        CHECK ((latitude IS NULL) = (longitude IS NULL))
) STRICT;

-- The newest decision whether a posting may be shown. A separate table: pushes do not write it.
CREATE TABLE posting_decisions (
    posting_id BLOB NOT NULL PRIMARY KEY REFERENCES postings (id) ON DELETE CASCADE,
    outcome TEXT NOT NULL,
    at INTEGER NOT NULL,
    -- rules, model, operator:NAME or operator.
    decided_by TEXT NOT NULL,
    -- The version of the rules, or the model's name and prompt version. NULL for an operator.
    version TEXT,
    -- The reason, as a code and as a sentence.
    code TEXT NOT NULL,
    sentence TEXT NOT NULL,
    -- The passages of the posting on which the decision is based, verbatim: a JSON array.
    passages TEXT NOT NULL CHECK (json_type(passages) = 'array'),
    -- terms or law. NULL for an approval.
    ground TEXT,
    -- 1 if a reader's report led to the decision.
    by_notice INTEGER NOT NULL CHECK (by_notice IN (0, 1)),
    -- The client's objection and its answer: a JSON object.
    objection TEXT CHECK (objection IS NULL OR json_type(objection) = 'object'),
    -- When the client objected. Set only while the objection waits for an answer.
    objection_waits_since INTEGER,
    CONSTRAINT only_an_operator_has_no_version
        CHECK ((version IS NULL) = (decided_by NOT IN ('rules', 'model')))
) STRICT;

-- Objections that operators must answer. Few objections wait.
CREATE INDEX posting_decisions_contested ON posting_decisions (objection_waits_since, posting_id)
    WHERE objection_waits_since IS NOT NULL;

-- All rejections and removals, for transparency reports. Rows have no text and outlive the posting.
CREATE TABLE statements (
    -- There is no foreign key, because the posting may be erased.
    posting_id BLOB NOT NULL CHECK (length(posting_id) = 16),
    at INTEGER NOT NULL,
    -- rejected or removed.
    outcome TEXT NOT NULL,
    -- terms or law.
    ground TEXT NOT NULL,
    -- The code of the reason.
    code TEXT NOT NULL,
    -- 1 if a reader's report led to the decision.
    by_notice INTEGER NOT NULL CHECK (by_notice IN (0, 1)),
    -- waiting, upheld or reversed. NULL without an objection.
    objection TEXT,
    PRIMARY KEY (at, posting_id)
) STRICT, WITHOUT ROWID;

-- Reports of readers about postings.
CREATE TABLE reports (
    -- Random, so that an id reveals no other.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- The posting and its identifier. There is no foreign key, because the posting may be erased.
    posting_id BLOB NOT NULL CHECK (length(posting_id) = 16),
    source_identifier TEXT NOT NULL,
    -- fraud, discrimination, illegal, misleading, closed or other.
    reason TEXT NOT NULL,
    -- The reader's text, and where the reader saw the posting. Empty after the posting is erased.
    statement TEXT NOT NULL,
    url TEXT,
    -- The reader's name, and address in lower case. Only operators may see them. A worker removes
    -- both some time after the decision.
    reporter_name TEXT,
    reporter_email TEXT,
    -- When the report was sent.
    at INTEGER NOT NULL,
    -- waiting, dismissed or acted.
    state TEXT NOT NULL,
    -- The decision of an operator: its time, the operator's name, and the answer to the reader.
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

-- The operators' queue, and the lists of decided reports.
CREATE INDEX reports_by_state ON reports (state, at, id);
-- Finds the waiting reports of a posting.
CREATE INDEX reports_by_posting ON reports (posting_id, state, at, id);
-- A reader may have only one report about a posting.
CREATE UNIQUE INDEX reports_by_reporter ON reports (reporter_email, posting_id)
    WHERE reporter_email IS NOT NULL;
-- Finds reports whose names and addresses a worker removes.
CREATE INDEX reports_with_reporters ON reports (decided_at, id)
    WHERE reporter_email IS NOT NULL AND decided_at IS NOT NULL;

-- The history of postings, in the order of its key. Rows never change.
CREATE TABLE posting_history (
    posting_id BLOB NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    -- The version that the commit wrote.
    version INTEGER NOT NULL,
    -- The entry's number in its commit, from 0.
    step INTEGER NOT NULL,
    at INTEGER NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    -- client:ID, catalogue:NAME, operator:NAME, operator, enricher, lifetime or source (its closing
    -- date).
    actor TEXT NOT NULL,
    PRIMARY KEY (posting_id, version, step)
) STRICT, WITHOUT ROWID;

-- The values that each change of a posting replaced. Old rows are deleted.
CREATE TABLE posting_versions (
    posting_id BLOB NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    -- The version after the change.
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    -- As in posting_history.
    actor TEXT NOT NULL,
    -- The import to which the change belongs: the holder of a catalogue's lease, or a random id.
    import BLOB CHECK (length(import) = 16),
    -- The replaced values by name, with digests of the replaced texts: a JSON object.
    before TEXT NOT NULL CHECK (json_type(before) = 'object'),
    -- The replaced description and texts.
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

-- Pairs of postings that an operator marked as different openings. The lower id is first.
CREATE TABLE distinct_postings (
    one BLOB NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    other BLOB NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    PRIMARY KEY (one, other)
) STRICT, WITHOUT ROWID;

CREATE INDEX distinct_postings_by_other ON distinct_postings (other);

-- Used to find a posting's duplicates. Outcomes of enrichment write rows for open postings. When a
-- search finds a row of a posting that is no longer open, it deletes the row.
CREATE TABLE posting_signatures (
    posting_id BLOB NOT NULL PRIMARY KEY REFERENCES postings (id) ON DELETE CASCADE,
    -- Each band is a hash of company, title, place and a part of the signature. Duplicates have at
    -- least one band in common.
    band_1 INTEGER NOT NULL,
    band_2 INTEGER NOT NULL,
    band_3 INTEGER NOT NULL,
    band_4 INTEGER NOT NULL,
    -- The MinHash signature of the description, 64 values of two bytes. The number of equal values
    -- shows how similar two texts are.
    signature BLOB NOT NULL,
    -- When the posting first had content that matches the current content.
    since INTEGER NOT NULL,
    -- The signature of the description at that time. NULL if it is the current signature.
    first_signature BLOB
) STRICT, WITHOUT ROWID;

-- The oldest postings of a band. A search examines a few of them.
CREATE INDEX posting_signatures_in_band_1 ON posting_signatures (band_1, since, posting_id);
CREATE INDEX posting_signatures_in_band_2 ON posting_signatures (band_2, since, posting_id);
CREATE INDEX posting_signatures_in_band_3 ON posting_signatures (band_3, since, posting_id);
CREATE INDEX posting_signatures_in_band_4 ON posting_signatures (band_4, since, posting_id);

-- OAuth clients, which may request tokens.
CREATE TABLE clients (
    -- The client_id.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    created_at INTEGER NOT NULL,
    -- Increases with each commit that writes the row, except for activity.
    version INTEGER NOT NULL DEFAULT 1,
    name TEXT NOT NULL,
    -- The scopes that the client may request: comma-separated, each once.
    scopes TEXT NOT NULL,
    -- The prefixes of identifiers that the client may use: a JSON array. Empty for the whole board.
    prefixes TEXT NOT NULL DEFAULT '[]' CHECK (prefixes LIKE '[%]'),
    -- How many requests a minute each process accepts from the client. NULL for no limit.
    requests_per_minute INTEGER,
    revoked_at INTEGER,
    -- When the client last pushed, accepted or refused. Some seconds late.
    last_push_at INTEGER,
    -- Tokens issued before this time are refused. NULL accepts all.
    tokens_from INTEGER,
    -- The longest time between two pushes that the operator expects. NULL to use the client's
    -- rhythm.
    expect_every_seconds INTEGER,
    -- The number of approved postings that the client created, about a minute late.
    visible INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- The secrets of clients: the newest secret, which has no end, and the previous one.
CREATE TABLE client_secrets (
    client_id BLOB NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    -- SHA-256 of the secret. The secret has 256 random bits, and is not stored.
    digest BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    -- When the secret ends, if a newer one has replaced it.
    expires_at INTEGER,
    -- When a token was last issued for the secret. Some seconds late.
    last_used_at INTEGER,
    PRIMARY KEY (client_id, digest)
) STRICT, WITHOUT ROWID;

-- The activity of clients on their newest active days. Written every few seconds.
CREATE TABLE client_days (
    client_id BLOB NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    -- In UTC, for example 2026-12-31.
    date TEXT NOT NULL CHECK (date LIKE '____-__-__'),
    -- Pushes by outcome. An update may concern only the company.
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    unchanged INTEGER NOT NULL,
    expired INTEGER NOT NULL,
    reopened INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    -- The number of the client's postings that got this verdict on the day.
    approved INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    -- The number of the client's postings that were rejected on the day after an approval.
    withdrawn INTEGER NOT NULL,
    -- The hours of the day with pushes, as bits.
    hours INTEGER NOT NULL,
    PRIMARY KEY (client_id, date)
) STRICT, WITHOUT ROWID;

-- How often a day's pushes had each optional field, and how often new postings got each remark.
CREATE TABLE client_tallies (
    client_id BLOB NOT NULL,
    date TEXT NOT NULL,
    -- The name of the field, or the code of the remark.
    name TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (client_id, date, name),
    FOREIGN KEY (client_id, date) REFERENCES client_days (client_id, date) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- The newest refused pushes of each client.
CREATE TABLE client_refusals (
    client_id BLOB NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    -- A UUIDv7, so ids sort by time.
    id BLOB NOT NULL CHECK (length(id) = 16),
    at INTEGER NOT NULL,
    -- The posting's identifier, if it can be shown.
    identifier TEXT NOT NULL,
    -- The status of the answer.
    status INTEGER NOT NULL,
    message TEXT NOT NULL,
    -- The codes of the broken rules: a JSON array. NULL if there are none.
    rules TEXT CHECK (rules LIKE '[%]'),
    -- A JSON object of lists by field. NULL if there are none.
    errors TEXT CHECK (errors LIKE '{%}'),
    -- The id of the request.
    request_id TEXT,
    -- How many lines of an import were refused for this reason. This row is the first line.
    count INTEGER NOT NULL,
    -- The identifiers of some other lines: a JSON array. NULL if there are none.
    others TEXT CHECK (others LIKE '[%]'),
    PRIMARY KEY (client_id, id)
) STRICT, WITHOUT ROWID;

-- The catalogues of clients, and their imports in progress. A posting's catalogue is in
-- postings.catalogue_id.
CREATE TABLE catalogues (
    -- A UUIDv7. A catalogue that was deleted and created again has a different id.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    client_id BLOB NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    name TEXT NOT NULL COLLATE BINARY,
    -- When the first import began.
    created_at INTEGER NOT NULL,
    -- The import in progress (a random id), and the end of its lease. A commit may write for the
    -- import only while this id is here.
    holder BLOB CHECK (length(holder) = 16),
    leased_until INTEGER,
    -- Three imports, by the holders of their leases: the last finished one; the last one that was
    -- complete and not held back, whose misses count; and the last one that expired or changed
    -- postings (NULL after its undo).
    last_import BLOB CHECK (length(last_import) = 16),
    counted_import BLOB CHECK (length(counted_import) = 16),
    expiring_import BLOB CHECK (length(expiring_import) = 16),
    -- The last complete import if it was held back and not released. During the next import, the id
    -- is in held_before, because that import may name held-back postings. A release then keeps
    -- them.
    held_import BLOB CHECK (length(held_import) = 16),
    held_before BLOB CHECK (length(held_before) = 16),
    UNIQUE (client_id, name),
    CONSTRAINT lease_has_a_holder
        CHECK ((holder IS NULL) = (leased_until IS NULL))
) STRICT, WITHOUT ROWID;

-- The last finished imports of catalogues, with their results.
CREATE TABLE catalogue_imports (
    catalogue_id BLOB NOT NULL REFERENCES catalogues (id) ON DELETE CASCADE,
    -- The holder of the import's lease.
    import BLOB NOT NULL CHECK (length(import) = 16),
    started_at INTEGER NOT NULL,
    finished_at INTEGER NOT NULL,
    -- The number of lines that were not blank, and their outcomes.
    lines INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    unchanged INTEGER NOT NULL,
    expired INTEGER NOT NULL,
    reopened INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    -- Lines for which the service failed.
    failed INTEGER NOT NULL,
    -- Lines without an answer whose posting is unknown.
    unattributed INTEGER NOT NULL,
    -- The notices of the lines: a JSON object of numbers by code.
    notices TEXT CHECK (json_type(notices) = 'object'),
    -- How the import changed existing postings: a JSON object. NULL if it is incomplete.
    changes TEXT CHECK (json_type(changes) = 'object'),
    -- The number of open postings that no line named, and how many of them expired. NULL if the
    -- import ended before that.
    missing INTEGER,
    missing_expired INTEGER,
    -- Why the missing postings were held back. A release sets it to NULL.
    held_because TEXT,
    is_released INTEGER NOT NULL CHECK (is_released IN (0, 1)),
    -- 1 if every line had an answer, and the body ended properly.
    is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1)),
    PRIMARY KEY (catalogue_id, import),
    CONSTRAINT missing_are_counted_together
        CHECK ((missing IS NULL) = (missing_expired IS NULL)),
    CONSTRAINT held_are_missing
        CHECK (held_because IS NULL OR missing IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- Open postings that an import of their catalogue did not name, and how each was handled. Rows are
-- deleted when catalogues no longer names the import.
CREATE TABLE missed_postings (
    -- The holder of the import's lease.
    import BLOB NOT NULL CHECK (length(import) = 16),
    -- There is no foreign key, because the posting may be deleted.
    posting_id BLOB NOT NULL CHECK (length(posting_id) = 16),
    -- open, expired or held, as the import decided. An undo turns expired into reopened or left. A
    -- release turns held into expired or kept. For a changed posting, an undo stores restored or
    -- unrestored, and a later release turns this into undone.
    state TEXT NOT NULL,
    -- For an open posting, how many consecutive imports have missed it.
    misses INTEGER,
    PRIMARY KEY (import, posting_id),
    CONSTRAINT open_ones_are_counted CHECK ((state = 'open') = (misses IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- What is known about an e-mail address: the membership system's report, and the state at the
-- provider. A row is deleted only if the person is erased or has another address.
CREATE TABLE subscribers (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- Increases with each commit that writes the row. A commit must name the version that it read.
    version INTEGER NOT NULL,
    -- Trimmed and in lower case, compared byte for byte. An address cannot have two rows, so a
    -- concurrent report and suppression write the same row.
    email TEXT NOT NULL COLLATE BINARY UNIQUE,
    -- When the membership system first reported the person. Until then, the row only stores what
    -- the provider reported about the address.
    reported_at INTEGER,
    name TEXT,
    -- The name of the country.
    country TEXT,
    -- The category and the status of the membership, and until when it is paid for (for example
    -- 2026-12-31). All are NULL without a membership.
    membership_plan_category TEXT,
    membership_status TEXT,
    membership_expires_at TEXT CHECK (
        membership_expires_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'
    ),
    -- Whether e-mails may be sent to the person. The strongest status ever seen stays.
    status TEXT NOT NULL,
    -- The source of a suppression, the account if known, the time, and the reason: an operator's
    -- text, or details of the delivery.
    suppressed_by TEXT,
    suppressed_in TEXT,
    suppressed_at INTEGER,
    suppressed_because TEXT,
    -- When an operator last reinstated the person. Earlier reports of the provider do not count.
    reinstated_at INTEGER,
    -- Why the address must be removed from both accounts: either the person has another address,
    -- whose row moved_to names, or the person is to be erased. NULL if it stays.
    departure TEXT,
    moved_to BLOB CHECK (length(moved_to) = 16),
    -- For each account: the provider's id of the person, if known; whether the account certainly
    -- sends nothing to a suppressed person; and whether this service has unsubscribed the person
    -- there, or was about to.
    old_id TEXT,
    old_is_quiet INTEGER NOT NULL DEFAULT 0 CHECK (old_is_quiet IN (0, 1)),
    old_is_withdrawn INTEGER NOT NULL DEFAULT 0 CHECK (old_is_withdrawn IN (0, 1)),
    new_id TEXT,
    new_is_quiet INTEGER NOT NULL DEFAULT 0 CHECK (new_is_quiet IN (0, 1)),
    new_is_withdrawn INTEGER NOT NULL DEFAULT 0 CHECK (new_is_withdrawn IN (0, 1)),
    -- The time that the newest report with a time gives for its data.
    reported_as_of INTEGER,
    -- When the person moved to the provider's new account, and the cause. NULL in the old account.
    migrated_at INTEGER,
    migration_source TEXT,
    -- 1 if the provider's accounts already show the move.
    migration_arrived INTEGER NOT NULL CHECK (migration_arrived IN (0, 1)),
    -- The accounts that had the person during the move, under this or an earlier address: the old
    -- account if the person was found there, the new one after joining its group.
    migration_shown_in TEXT,
    -- Allows the holder of an e-mailed link to move. A secret.
    migration_token TEXT NOT NULL COLLATE BINARY UNIQUE,
    -- SHA-256 of the data that the person's account certainly has. NULL while unknown.
    synced_digest BLOB,
    -- When an account last got new data, or was found to have it.
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

-- Subscribers in the old account, in the order of the list. A query must repeat both conditions to
-- use this index. (The list of all subscribers uses the index of the address.)
CREATE INDEX subscribers_unmigrated ON subscribers (email)
    WHERE migrated_at IS NULL AND reported_at IS NOT NULL;

-- Suppressed subscribers, reported or not, in the order of the list. A query must repeat the
-- condition to use this index.
CREATE INDEX subscribers_suppressed ON subscribers (email) WHERE status <> 'active';

-- The process that may call an account of the provider. There is only one at a time, so that the
-- account's request limit is kept.
CREATE TABLE account_leases (
    account TEXT NOT NULL PRIMARY KEY,
    -- A random id of the process.
    holder BLOB NOT NULL CHECK (length(holder) = 16),
    -- When the lease ends unless renewed. So a process that died does not hold it for long.
    ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The state of each of the provider's accounts, except its lease. Pauses outlast processes.
CREATE TABLE account_states (
    account TEXT NOT NULL PRIMARY KEY,
    -- Until when nothing is sent to the account, and why.
    paused_until INTEGER,
    pause_reason TEXT,
    -- When the account's whole list was last read.
    reconciled_at INTEGER
) STRICT, WITHOUT ROWID;

-- Suppressed people who were erased: HMAC-SHA-256 of the address (key below), and the status.
CREATE TABLE erased_suppressions (
    hash BLOB NOT NULL PRIMARY KEY,
    status TEXT NOT NULL,
    -- When the person was erased.
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The key of these hashes, which is created once. A secret.
CREATE TABLE erasure_keys (
    singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
    key BLOB NOT NULL
) STRICT;

INSERT INTO erasure_keys (singleton, key) VALUES (1, randomblob(32));

-- The outbox: work that must happen outside the database, added by the commit that requires it.
--
-- A row is an effect: a key without data, whose handler loads the current state. Each effect has at
-- most one row. Finished tasks are deleted.
CREATE TABLE outbox (
    -- In the order of writes. Numbers are never reused, because an operator may name a deleted row.
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- The kind of effect, as its module declares it. There is no list of kinds and lanes: a new one
    -- would require building the table again.
    kind TEXT NOT NULL,
    -- The UUID of a posting, subscriber or company. No foreign key: the table depends on the kind.
    subject BLOB NOT NULL CHECK (length(subject) = 16),
    -- The lane, if the kind has several: for 'sync', the provider's account. The latest request
    -- sets it, but a bulk request does not move a waiting task. Lanes that end with -bulk wait
    -- behind all others.
    lane TEXT,
    -- Counts the requests for this effect. If a task is requested again after its claim, it becomes
    -- due again when it is finished.
    generation INTEGER NOT NULL DEFAULT 1,
    -- How often the task was claimed since it was last started over.
    attempts INTEGER NOT NULL DEFAULT 0,
    -- When the task is due, or its lease ends. So a task whose worker died becomes due by itself.
    next_at INTEGER NOT NULL,
    -- The claim under which a worker handles the task.
    lease BLOB CHECK (length(lease) = 16),
    -- How many consecutive claims ended without a report. Their workers died, perhaps because of
    -- this task.
    lost INTEGER NOT NULL DEFAULT 0,
    -- The first failed attempt since the task was last started over.
    first_failed_at INTEGER,
    last_error TEXT,
    -- When the task became a dead letter. It stays until it is revived or requested again.
    dead_at INTEGER,
    created_at INTEGER NOT NULL,
    -- The task's trace, as in the header traceparent. NULL without a trace.
    trace_parent TEXT,
    CONSTRAINT dead_task_has_no_lease
        CHECK (dead_at IS NULL OR lease IS NULL),
    CONSTRAINT lost_claim_has_a_lease
        CHECK (lost = 0 OR lease IS NOT NULL)
) STRICT;

-- Each effect has one row.
CREATE UNIQUE INDEX outbox_effects ON outbox (kind, subject);

-- Workers find due tasks of a queue, and tasks whose lease has expired, longest due first. A task
-- is in at most one of these indexes, so a claim adds one entry.
CREATE INDEX outbox_due ON outbox (kind, lane, next_at)
    WHERE dead_at IS NULL AND lease IS NULL;
CREATE INDEX outbox_leased ON outbox (kind, lane, next_at) WHERE lease IS NOT NULL;

-- Operators list dead letters.
CREATE INDEX outbox_dead ON outbox (kind) WHERE dead_at IS NOT NULL;

-- Events. The commit that caused an event adds it. Only an erasure changes it, and removes the
-- reason. Readers use the key: a second index of all events would cost more in each commit than it
-- would save.
CREATE TABLE events (
    -- The place of the event in the log: in the order of commits, and never used again.
    number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- When the event occurred.
    at INTEGER NOT NULL,
    -- The name, as its module declares it. There is no list of names: a new name would require
    -- building the table again.
    name TEXT NOT NULL,
    -- The UUID of the subject: a posting, a company or a subscriber, for example. There is no
    -- foreign key, because an event stays true when its subject is deleted.
    subject BLOB NOT NULL CHECK (length(subject) = 16),
    -- A posting after the commit. NULL for other subjects; the reason may be NULL.
    source_identifier TEXT,
    version INTEGER,
    status TEXT,
    status_reason TEXT,
    -- A company after the commit. NULL for other subjects; the path may be NULL.
    company_name TEXT,
    company_website TEXT,
    company_logo_path TEXT,
    -- The trace of the event's cause, as in the header traceparent. NULL without a trace.
    trace_parent TEXT,
    -- For a company, the actor that changed it, and the company into which it was merged.
    company_updated_by TEXT,
    company_merged_into BLOB CHECK (length(company_merged_into) = 16),
    -- The code of a decision about a posting.
    decision_code TEXT,
    -- For a decision: terms or law (NULL for an approval), and whether a reader's report led to it.
    decision_ground TEXT,
    decision_by_notice INTEGER NOT NULL DEFAULT 0 CHECK (decision_by_notice IN (0, 1)),
    -- For a reader's report, the posting. The event has the posting's identifier, the status acted
    -- or dismissed, and as status_reason the answer to the reader.
    reported_posting BLOB CHECK (reported_posting IS NULL OR length(reported_posting) = 16),
    -- For a matter that needs attention, the item: a JSON object.
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

-- Webhooks skip an event of a company that has a newer event.
CREATE INDEX events_of_companies ON events (subject, number) WHERE company_name IS NOT NULL;

-- The state of the log as a whole, in one row.
CREATE TABLE event_log (
    singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
    -- The number of the last deleted event. A reader with an earlier cursor has missed events.
    deleted_number INTEGER NOT NULL
) STRICT;

INSERT INTO event_log (singleton, deleted_number) VALUES (1, 0);

-- Webhooks: receivers of events, the progress of deliveries to each, and the last attempts.

-- A receiver as its owner registered it, and the state that workers store.
CREATE TABLE webhook_endpoints (
    -- A UUIDv7, so ids sort by age.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- client:ID or operator.
    owner TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- Increases with each change by the owner, each disabling, and each resent event.
    version INTEGER NOT NULL,
    url TEXT NOT NULL,
    -- The names of the wanted events: a JSON array. NULL for all public events.
    names TEXT CHECK (names LIKE '[%]'),
    -- The prefixes of the identifiers of postings whose events the endpoint may get: a JSON array.
    -- Empty for the whole board.
    prefixes TEXT NOT NULL CHECK (prefixes LIKE '[%]'),
    -- 1 if events of a posting include the posting.
    include_posting INTEGER NOT NULL CHECK (include_posting IN (0, 1)),
    -- The owner's description.
    description TEXT,
    state TEXT NOT NULL,
    -- Why the endpoint is disabled.
    state_reason TEXT,
    -- A secret: the key that signs deliveries. The key itself is stored, because each delivery is
    -- signed with it. So a reader of this file can sign in the service's name.
    secret BLOB NOT NULL,
    -- A secret: the previous key, and until when it also signs.
    previous_secret BLOB,
    previous_secret_until INTEGER,
    -- When the current version was written.
    updated_at INTEGER NOT NULL,

    -- The place in the event log up to which every event was delivered, waits, or was skipped.
    commit_seq INTEGER NOT NULL,
    number INTEGER NOT NULL,
    -- The health: the last success, the first failure since then, the number of consecutive rounds
    -- without an answer, and until when no attempt is made.
    last_success_at INTEGER,
    failing_since INTEGER,
    silent_rounds INTEGER NOT NULL DEFAULT 0,
    open_until INTEGER,
    -- The number of recorded attempts, which numbers them.
    attempts INTEGER NOT NULL DEFAULT 0,
    -- The worker that delivers to the endpoint: a random id.
    holder BLOB CHECK (length(holder) = 16),
    -- The end of the lease. Without a holder, when the endpoint may be leased again.
    leased_until INTEGER,
    CONSTRAINT disabled_has_a_reason
        CHECK ((state = 'disabled') = (state_reason IS NOT NULL)),
    CONSTRAINT previous_secret_has_an_end
        CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL)),
    CONSTRAINT holder_has_a_lease
        CHECK (holder IS NULL OR leased_until IS NOT NULL)
) STRICT;

CREATE INDEX webhook_endpoints_by_owner ON webhook_endpoints (owner, id);

-- Subjects whose events wait for an endpoint, because the last attempt failed or there were too
-- many events for a round. Settled subjects are deleted.
CREATE TABLE webhook_waiting (
    endpoint BLOB NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    -- The UUID of the events' subject.
    subject BLOB NOT NULL CHECK (length(subject) = 16),
    -- The next event: its place in the log, and its name. No foreign key: old events are deleted.
    commit_seq INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    -- The number of attempts at the next event.
    attempts INTEGER NOT NULL,
    -- When the next attempt is due.
    next_at INTEGER NOT NULL,
    last_error TEXT,
    -- 1 if the last attempt was not answered.
    is_silent INTEGER NOT NULL CHECK (is_silent IN (0, 1)),
    -- The events that wait after the next one: a JSON array of texts (a cursor, a space and a
    -- name).
    later TEXT NOT NULL CHECK (later LIKE '[%]'),
    -- The waiting events up to this cursor are listed in later. Events after it are in the log.
    -- NULL if all events up to the endpoint's place are listed.
    read_to TEXT,
    PRIMARY KEY (endpoint, subject)
) STRICT, WITHOUT ROWID;

-- Finds due events, the longest due first.
CREATE INDEX webhook_waiting_due ON webhook_waiting (endpoint, next_at, commit_seq, number);
-- Finds events that become due when a silent endpoint answers again.
CREATE INDEX webhook_waiting_silent ON webhook_waiting (endpoint, next_at) WHERE is_silent;

-- The newest attempts at each endpoint. Their number is fixed: a new one replaces the oldest.
CREATE TABLE webhook_deliveries (
    endpoint BLOB NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    -- The position modulo the number of kept attempts.
    slot INTEGER NOT NULL,
    -- The attempt's number for this endpoint.
    position INTEGER NOT NULL,
    -- When the attempt ended.
    at INTEGER NOT NULL,
    -- The event's place in the log, and its name.
    commit_seq INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    -- The attempt's number for this event.
    attempt INTEGER NOT NULL,
    -- The status of the answer. NULL without an answer.
    status INTEGER,
    duration_ms INTEGER NOT NULL,
    -- Why the attempt failed.
    error TEXT,
    PRIMARY KEY (endpoint, slot)
) STRICT, WITHOUT ROWID;

-- What needs the attention of an operator or a client, as found by the last check.
CREATE TABLE attention_items (
    -- Derived from the kind and its subject.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    kind TEXT NOT NULL,
    -- The name of the subject.
    subject TEXT NOT NULL,
    -- The client concerned. There is no foreign key: the next check ends the item.
    client_id BLOB CHECK (length(client_id) = 16),
    since INTEGER NOT NULL,
    -- The problem, and what to do about it.
    sentence TEXT NOT NULL,
    -- The path of the console's page about the item.
    page TEXT NOT NULL,
    -- 1 if the item concerns postings, so that clients without prefixes may see it.
    is_of_board INTEGER NOT NULL CHECK (is_of_board IN (0, 1))
) STRICT, WITHOUT ROWID;

-- The last check, in one row. Without a row, there was none.
CREATE TABLE attention_checks (
    singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
    -- Counts the checks. A check must name the previous one, so that no items are outdated.
    version INTEGER NOT NULL,
    at INTEGER NOT NULL
) STRICT;

-- The actions of operators. Each entry is written in the same commit as its action. People appear
-- only as ids, so no address is stored here.
CREATE TABLE audit (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- The id of the command, which may act on many subjects.
    run BLOB NOT NULL CHECK (length(run) = 16),
    at INTEGER NOT NULL,
    -- The name of the operator, or client:ID for a person who signs in to a client's pages.
    operator TEXT NOT NULL,
    -- For example 'subscribers.suppress'. There is no list, so that a new action needs no
    -- migration.
    action TEXT NOT NULL,
    -- The subject of the action, for example a subscriber's id or a posting's source identifier.
    subject TEXT,
    -- More details: a JSON object.
    details TEXT NOT NULL CHECK (details LIKE '{%}')
) STRICT, WITHOUT ROWID;

-- The audit is read as a whole, by operator, by action, or by subject. It grows slowly.
CREATE INDEX audit_newest ON audit (at, id);
CREATE INDEX audit_by_operator ON audit (operator, at, id);
CREATE INDEX audit_by_action ON audit (action, at, id);
CREATE INDEX audit_by_subject ON audit (subject, at, id);

-- Links that sign in once, and sessions. Both let a browser act for an operator or a client.
CREATE TABLE sign_in_tokens (
    -- SHA-256 of the token. The token has 256 random bits, and is not stored.
    digest BLOB NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    -- The principal: operator:NAME or client:ID.
    holder TEXT NOT NULL,
    -- The scopes, which count only while the client has them. Empty for an operator.
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- When the token ends. A worker deletes it some time later.
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Finds tokens that a worker deletes.
CREATE INDEX sign_in_tokens_by_end ON sign_in_tokens (expires_at);

-- Finds a holder's newest tokens, which are kept.
CREATE INDEX sign_in_tokens_by_holder ON sign_in_tokens (holder, kind, created_at);

-- Drafts of language models, so that the same content is paid for once. Unused drafts are deleted.
--
-- A row begins as the reservation of a worker that asks the model, and later contains the draft.
CREATE TABLE drafts (
    -- SHA-256 of all that the draft depends on: the posting's content, the model, its instructions.
    key BLOB NOT NULL PRIMARY KEY,
    -- The worker that asks the model: a random id. NULL with a draft.
    holder BLOB CHECK (length(holder) = 16),
    -- When the reservation ends unless renewed, so that a dead worker holds no key. NULL with a
    -- draft.
    reserved_until INTEGER,
    -- When the draft was last used (exact to a day). Without a draft, when it was first requested.
    used_at INTEGER NOT NULL,
    -- The draft as the model's adapter writes it. NULL while reserved.
    draft TEXT,
    -- The posting of the draft; its erasure deletes the draft. There is no foreign key: the draft
    -- of an expired posting stays for other postings with the same content.
    posting_id BLOB CHECK (length(posting_id) = 16),
    CONSTRAINT reservation_has_a_holder
        CHECK ((draft IS NULL) = (holder IS NOT NULL)),
    CONSTRAINT reservation_has_an_end
        CHECK ((holder IS NULL) = (reserved_until IS NULL))
) STRICT;

-- Finds drafts that have been unused longest.
CREATE INDEX drafts_used ON drafts (used_at);

-- Finds drafts of an erased posting.
CREATE INDEX drafts_by_posting ON drafts (posting_id) WHERE draft IS NOT NULL;

-- Lets programs of the previous version continue after a newer program has migrated the schema. One
-- row says which programs can use it. A migration that removes something that older programs use
-- must change this row.
CREATE TABLE schema_compatibility (
    -- Always 1, because there is one row.
    singleton INTEGER NOT NULL PRIMARY KEY DEFAULT 1 CHECK (singleton = 1),
    -- The version of a migration. A program that knows this migration can use the schema, even
    -- after later migrations that the program does not know.
    needs TEXT NOT NULL CHECK (needs <> '')
) STRICT;

INSERT INTO schema_compatibility (needs) VALUES ('20261124000000');
