-- Everything that version 0.3.0 stores: postings with their companies, OAuth clients, catalogues,
-- newsletter subscribers, the event log, webhooks, the outbox, the audit, sign-ins, and
-- the drafts of language models.
--
-- The checks tie columns together; what a value may be is the program's to say, which names the
-- column of one without a meaning. Texts that are compared and never shown in order are
-- COLLATE "C": byte for byte, whatever locale the database has.

CREATE TABLE companies (
    id uuid NOT NULL PRIMARY KEY,
    name text NOT NULL,
    website text COLLATE "C" NOT NULL,
    website_key text COLLATE "C" NOT NULL,
    name_key text COLLATE "C" NOT NULL,
    site text COLLATE "C" NOT NULL,
    alias_of uuid CHECK (alias_of <> id),
    logo_path text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    former_names json,
    owner uuid,
    keeps_name boolean NOT NULL DEFAULT false,
    keeps_logo boolean NOT NULL DEFAULT false,
    updated_by text COLLATE "C",
    merged_at timestamptz
)
-- An update changes a column that an index has only with a new name or a merge, so with space left an update stays on its page.
WITH (fillfactor = 80);

COMMENT ON TABLE companies IS 'Upserted with the postings that name them; never deleted.';
COMMENT ON COLUMN companies.id IS 'The UUIDv5 of the website''s key: one website cannot have two rows.';
COMMENT ON COLUMN companies.name IS 'As last pushed.';
COMMENT ON COLUMN companies.website IS 'As its creator sent it.';
COMMENT ON COLUMN companies.website_key IS
    'What companies are matched by: the website in its normal form, without scheme, www. and so on.';
COMMENT ON COLUMN companies.name_key IS
    'What companies that may be one are found by: the name without case and legal form.';
COMMENT ON COLUMN companies.site IS
    'Likewise: the registered domain, or the company''s own address at a hosting service.';
COMMENT ON COLUMN companies.alias_of IS
    'The company that an operator merged it into. Its website means that one. No foreign key: a copy of the database has rows in any order.';
COMMENT ON COLUMN companies.logo_path IS 'Path to the logo.';
COMMENT ON COLUMN companies.created_at IS 'When it was first pushed.';
COMMENT ON COLUMN companies.updated_at IS 'When it was last written.';
COMMENT ON COLUMN companies.former_names IS
    'The names that it had before, newest first, at most 20; NULL if it had none. Redacted texts hide them too.';
COMMENT ON COLUMN companies.owner IS
    'The client that owns it; NULL leaves it to the clients without prefixes. No foreign key: a revoked client stays the owner.';
COMMENT ON COLUMN companies.keeps_name IS
    'Whether an operator set the name, which stands whatever clients push.';
COMMENT ON COLUMN companies.keeps_logo IS 'Likewise the logo.';
COMMENT ON COLUMN companies.updated_by IS
    'Who changed name, logo or owner last: client:ID or operator:NAME.';
COMMENT ON COLUMN companies.merged_at IS
    'When an operator last merged it into another one, or gave it back.';

-- The list of companies, and the search for a name.
CREATE INDEX companies_by_key ON companies (website_key) WHERE alias_of IS NULL;
CREATE INDEX companies_by_name ON companies (name_key, website_key) WHERE alias_of IS NULL;
CREATE INDEX companies_by_site ON companies (site, website_key) WHERE alias_of IS NULL;
CREATE INDEX companies_by_target ON companies (alias_of, website_key) WHERE alias_of IS NOT NULL;

CREATE TABLE company_pairs (
    one uuid NOT NULL REFERENCES companies (id),
    other uuid NOT NULL REFERENCES companies (id),
    is_similar boolean NOT NULL,
    lookalike uuid CHECK (lookalike IN (one, other)),
    since timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    is_apart boolean NOT NULL,
    PRIMARY KEY (one, other),
    CHECK (one < other)
);

COMMENT ON TABLE company_pairs IS 'Companies that may be one.';
COMMENT ON COLUMN company_pairs.one IS 'The company with the lower id.';
COMMENT ON COLUMN company_pairs.other IS 'The other company.';
COMMENT ON COLUMN company_pairs.is_similar IS 'Whether they have the same name, and a site in common.';
COMMENT ON COLUMN company_pairs.lookalike IS
    'The one that a client with prefixes created on the site of the other.';
COMMENT ON COLUMN company_pairs.since IS 'When that was found.';
COMMENT ON COLUMN company_pairs.seen_at IS 'When it was last looked for.';
COMMENT ON COLUMN company_pairs.is_apart IS 'Whether an operator said that they are not the same.';

CREATE INDEX company_pairs_by_other ON company_pairs (other);
CREATE INDEX company_pairs_similar ON company_pairs (one, other)
    WHERE is_similar AND NOT is_apart;
CREATE INDEX company_pairs_lookalike ON company_pairs (one, other)
    WHERE lookalike IS NOT NULL AND NOT is_apart;

CREATE TABLE postings (
    id uuid NOT NULL PRIMARY KEY,
    source_identifier text COLLATE "C" NOT NULL UNIQUE,
    version bigint NOT NULL,
    status text COLLATE "C" NOT NULL,
    status_reason text,
    review text COLLATE "C",
    moderated boolean NOT NULL,
    company_id uuid NOT NULL,
    came_by uuid,
    enriched_hash bytea,
    approved_hash bytea,
    is_featured boolean NOT NULL,
    published_at timestamptz,
    expire_at timestamptz,
    expired_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    title text NOT NULL,
    employment_types text[] COLLATE "C" NOT NULL,
    location_types text[] COLLATE "C" NOT NULL,
    location_country_code text COLLATE "C",
    location_city text,
    salary_min bigint,
    salary_max bigint,
    salary_currency_code text COLLATE "C",
    salary_period text COLLATE "C",
    application_email text,
    application_url text,
    expiration_reason text,
    valid_through text COLLATE "C",
    date_posted text COLLATE "C",
    requisition_id text,
    location_region text,
    location_postal_code text,
    locations json COMPRESSION lz4,
    description_digest bytea NOT NULL,
    metadata json COMPRESSION lz4,
    raw_description text COMPRESSION lz4 NOT NULL,
    texts_digest bytea,
    created_by text COLLATE "C",
    updated_by text COLLATE "C",
    catalogue_id uuid,
    duplicate_of uuid,
    duplicate_identifier text COLLATE "C",
    content_at timestamptz,
    shown json,
    held_at timestamptz
)
-- Nearly every update changes updated_at, which indexes have, so it gets entries in all of them
-- with or without space. But the space left by old rows all over a large table is where new
-- versions would go, each to a page that is not in memory: 30 % fewer updates a second at 1.2
-- million postings. With a tenth of each page kept for its own rows they stay where they are, or go
-- to the end.
WITH (
    fillfactor = 90,
    autovacuum_vacuum_scale_factor = 0.05,
    toast.autovacuum_vacuum_scale_factor = 0.05
);

COMMENT ON TABLE postings IS 'Job postings as pushed, and where they stand.';
COMMENT ON COLUMN postings.id IS 'The id in this service.';
COMMENT ON COLUMN postings.source_identifier IS
    'The id in the world it comes from, compared byte for byte.';
COMMENT ON COLUMN postings.version IS
    'Counts the commits that wrote the row; each of them names the version it has read.';
COMMENT ON COLUMN postings.status IS 'PendingEnrichment, approved, rejected or expired.';
COMMENT ON COLUMN postings.status_reason IS 'The reason of the newest change of status.';
COMMENT ON COLUMN postings.review IS
    'Why its newest content gets no verdict without an operator: no_verdict or poison; or that it is no ad and is held back: content_held. NULL if there is no such reason.';
COMMENT ON COLUMN postings.moderated IS
    'Whether its status is an operator''s word: a verdict or an expiry, which only an operator takes back.';
COMMENT ON COLUMN postings.company_id IS
    'Whose posting it is. No foreign key: companies are never deleted, and its check would cost every new posting.';
COMMENT ON COLUMN postings.came_by IS
    'The alias by which it came to the company, which gets it back when it is none any more.';
COMMENT ON COLUMN postings.enriched_hash IS
    'SHA-256 of the content that the last enrichment outcome was for.';
COMMENT ON COLUMN postings.approved_hash IS
    'SHA-256 of the content that an operator approved, which no enricher overrules.';
COMMENT ON COLUMN postings.is_featured IS 'Whether an operator features it.';
COMMENT ON COLUMN postings.published_at IS 'When it was first approved.';
COMMENT ON COLUMN postings.expire_at IS 'When its lifetime ends.';
COMMENT ON COLUMN postings.expired_at IS 'When it was taken down.';
COMMENT ON COLUMN postings.created_at IS 'When it was first pushed.';
COMMENT ON COLUMN postings.updated_at IS 'When readers last saw a difference.';
COMMENT ON COLUMN postings.title IS 'At most 255 characters.';
COMMENT ON COLUMN postings.employment_types IS
    'Without repeats, in the order sent: full-time, part-time, contract, internship.';
COMMENT ON COLUMN postings.location_types IS
    'Without repeats, in the order sent: remote, on-site, hybrid, other.';
COMMENT ON COLUMN postings.location_country_code IS 'ISO 3166-1 alpha-2, upper case.';
COMMENT ON COLUMN postings.location_city IS 'City of the workplace.';
COMMENT ON COLUMN postings.salary_min IS 'Lower end, in whole units of the currency.';
COMMENT ON COLUMN postings.salary_max IS 'Upper end, in whole units of the currency.';
COMMENT ON COLUMN postings.salary_currency_code IS 'ISO 4217, upper case.';
COMMENT ON COLUMN postings.salary_period IS 'hourly, weekly, monthly or annually.';
COMMENT ON COLUMN postings.application_email IS 'Where to apply by mail.';
COMMENT ON COLUMN postings.application_url IS 'Where to apply on the web.';
COMMENT ON COLUMN postings.expiration_reason IS 'Why it was taken down, as pushed.';
COMMENT ON COLUMN postings.valid_through IS
    'The closing date of the source, a day or an RFC 3339 time in UTC; expire_at is never later.';
COMMENT ON COLUMN postings.date_posted IS 'When the source published it, a day or a time likewise.';
COMMENT ON COLUMN postings.requisition_id IS 'The employer''s own number.';
COMMENT ON COLUMN postings.location_region IS 'A code of ISO 3166-2, or a name.';
COMMENT ON COLUMN postings.location_postal_code IS 'Postal code of the workplace.';
COMMENT ON COLUMN postings.locations IS
    'Every place of a job with more than one: an array of objects with country_code, region, city, postal_code.';
COMMENT ON COLUMN postings.description_digest IS
    'SHA-256 of raw_description without what changes by itself (relative dates, tracking parameters, white space): a description that is pushed again is compared without being read.';
COMMENT ON COLUMN postings.metadata IS
    'A JSON object; json and not jsonb, so that order, repeats and spelling stay as sent.';
COMMENT ON COLUMN postings.raw_description IS 'HTML, as sent.';
COMMENT ON COLUMN postings.texts_digest IS
    'SHA-256 of what enrichment made of it, so that a result that brings nothing new raises no event. NULL before the first result.';
COMMENT ON COLUMN postings.created_by IS 'Who created it, as in posting_history.actor.';
COMMENT ON COLUMN postings.updated_by IS 'Whose the last change is.';
COMMENT ON COLUMN postings.catalogue_id IS
    'The catalogue that listed it last. No foreign key: a catalogue that is deleted leaves its postings as they are.';
COMMENT ON COLUMN postings.duplicate_of IS
    'The open posting with the same content, pushed first, that it duplicates. No foreign key: it counts only with duplicate_identifier.';
COMMENT ON COLUMN postings.duplicate_identifier IS
    'The identifier of the posting that it duplicates, which tells who may know of it.';
COMMENT ON COLUMN postings.content_at IS
    'When a push last changed company, title, place or description; NULL if none did since the first.';
COMMENT ON COLUMN postings.shown IS
    'The values that readers see while others wait for a verdict; NULL if none wait.';
COMMENT ON COLUMN postings.held_at IS 'Since when content that is no ad is held back.';

-- The two orders of the list: all postings, and those of one status.
CREATE INDEX postings_by_update ON postings (updated_at, id);
CREATE INDEX postings_by_status ON postings (status, updated_at, id);

-- How many postings of each client are visible, which a worker counts every minute.
CREATE INDEX postings_visible ON postings (created_by) WHERE status = 'approved';

-- What the worker that ends lifetimes asks for. A query uses it only if it repeats the two
-- status names literally.
CREATE INDEX postings_by_end ON postings (expire_at, source_identifier)
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
CREATE INDEX postings_by_original ON postings (duplicate_of, id)
    WHERE duplicate_of IS NOT NULL;

-- The postings whose content is held back, which a worker ends.
CREATE INDEX postings_held ON postings (held_at) WHERE held_at IS NOT NULL;

-- The postings of an opening, by the employer's own number.
CREATE INDEX postings_by_requisition ON postings (company_id, requisition_id)
    WHERE requisition_id IS NOT NULL;

-- The list of copies.
CREATE INDEX postings_copies ON postings (updated_at, id) WHERE duplicate_of IS NOT NULL;

CREATE TABLE posting_texts (
    posting_id uuid NOT NULL PRIMARY KEY REFERENCES postings (id) ON DELETE CASCADE,
    latitude double precision,
    longitude double precision,
    markdown text COMPRESSION lz4 NOT NULL,
    redacted_markdown text COMPRESSION lz4 NOT NULL,
    redacted_title text,
    findings json COMPRESSION lz4,
    CONSTRAINT coordinates_come_together
        CHECK ((latitude IS NULL) = (longitude IS NULL))
)
-- Written anew with each enrichment, and no index has a column that changes.
WITH (fillfactor = 80);

COMMENT ON TABLE posting_texts IS
    'What enrichment made of a posting. Apart from it, because no rule reads the texts and a push does not write them.';
COMMENT ON COLUMN posting_texts.posting_id IS 'The posting.';
COMMENT ON COLUMN posting_texts.latitude IS 'Degrees north, WGS 84; unset when not known.';
COMMENT ON COLUMN posting_texts.longitude IS 'Degrees east, WGS 84; unset when not known.';
COMMENT ON COLUMN posting_texts.markdown IS 'The description as CommonMark.';
COMMENT ON COLUMN posting_texts.redacted_markdown IS
    'The same without what identifies the company or leads past the board.';
COMMENT ON COLUMN posting_texts.redacted_title IS
    'The title without what identifies the company, one line of plain text.';
COMMENT ON COLUMN posting_texts.findings IS
    'An object with what else was found: places, the coordinates of each of the posting''s locations.';

CREATE TABLE posting_decisions (
    posting_id uuid NOT NULL PRIMARY KEY REFERENCES postings (id) ON DELETE CASCADE,
    outcome text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    decided_by text COLLATE "C" NOT NULL,
    version text COLLATE "C",
    code text COLLATE "C" NOT NULL,
    sentence text NOT NULL,
    passages json NOT NULL,
    ground text COLLATE "C",
    by_notice boolean NOT NULL,
    objection json,
    objection_waits_since timestamptz,
    CONSTRAINT only_an_operator_has_no_version
        CHECK ((version IS NULL) = (decided_by NOT IN ('rules', 'model')))
)
-- Written anew with each decision, and no index has a column that changes.
WITH (fillfactor = 80);

COMMENT ON TABLE posting_decisions IS
    'The newest decision whether a posting may be shown. Apart from it, because a push does not write it.';
COMMENT ON COLUMN posting_decisions.posting_id IS 'The posting.';
COMMENT ON COLUMN posting_decisions.outcome IS 'approved, rejected or removed.';
COMMENT ON COLUMN posting_decisions.at IS 'When it was decided.';
COMMENT ON COLUMN posting_decisions.decided_by IS
    'Who decided: rules, model, operator:NAME or operator.';
COMMENT ON COLUMN posting_decisions.version IS
    'The version of the rules, or the model''s name with the version of its prompt; unset of an operator.';
COMMENT ON COLUMN posting_decisions.code IS 'The reason, for programs.';
COMMENT ON COLUMN posting_decisions.sentence IS 'The reason, for people.';
COMMENT ON COLUMN posting_decisions.passages IS
    'What it rests on, verbatim from the posting: an array of texts.';
COMMENT ON COLUMN posting_decisions.ground IS 'terms or law; unset of an approval.';
COMMENT ON COLUMN posting_decisions.by_notice IS 'Whether a report of a reader led to it.';
COMMENT ON COLUMN posting_decisions.objection IS
    'The client''s objection, and its answer: a JSON object.';
COMMENT ON COLUMN posting_decisions.objection_waits_since IS
    'When the client objected; set while the objection waits for an answer.';

-- What operators have to answer. Few objections wait.
CREATE INDEX posting_decisions_contested ON posting_decisions (objection_waits_since, posting_id)
    WHERE objection_waits_since IS NOT NULL;

CREATE TABLE statements (
    posting_id uuid NOT NULL,
    at timestamptz NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    ground text COLLATE "C" NOT NULL,
    code text COLLATE "C" NOT NULL,
    by_notice boolean NOT NULL,
    objection text COLLATE "C",
    PRIMARY KEY (at, posting_id)
);

COMMENT ON TABLE statements IS
    'Every rejection and removal, for transparency reports. It has no text, and outlives the posting.';
COMMENT ON COLUMN statements.posting_id IS 'The posting. No foreign key: it may be erased.';
COMMENT ON COLUMN statements.at IS 'When it was decided.';
COMMENT ON COLUMN statements.outcome IS 'rejected or removed.';
COMMENT ON COLUMN statements.ground IS 'terms or law.';
COMMENT ON COLUMN statements.code IS 'The reason, for programs.';
COMMENT ON COLUMN statements.by_notice IS 'Whether a report of a reader led to it.';
COMMENT ON COLUMN statements.objection IS
    'waiting, upheld or reversed; unset without an objection.';

CREATE TABLE reports (
    id uuid NOT NULL PRIMARY KEY,
    posting_id uuid NOT NULL,
    source_identifier text COLLATE "C" NOT NULL,
    reason text COLLATE "C" NOT NULL,
    statement text NOT NULL,
    url text,
    reporter_name text,
    reporter_email text COLLATE "C",
    at timestamptz NOT NULL,
    state text COLLATE "C" NOT NULL,
    decided_at timestamptz,
    decided_by text,
    sentence text,
    CONSTRAINT only_a_decided_report_has_an_answer
        CHECK ((decided_at IS NULL) = (decided_by IS NULL)
            AND (decided_at IS NULL) = (sentence IS NULL)
            AND (decided_at IS NULL) = (state = 'waiting')),
    CONSTRAINT reporter_has_an_address
        CHECK (reporter_email IS NOT NULL OR reporter_name IS NULL)
);

COMMENT ON TABLE reports IS 'Reports of readers about postings.';
COMMENT ON COLUMN reports.id IS 'The id, drawn at random.';
COMMENT ON COLUMN reports.posting_id IS 'The posting. No foreign key: it may be erased.';
COMMENT ON COLUMN reports.source_identifier IS 'The posting''s identifier.';
COMMENT ON COLUMN reports.reason IS
    'fraud, discrimination, illegal, misleading, closed or other.';
COMMENT ON COLUMN reports.statement IS 'The reader''s words; empty once the posting is erased.';
COMMENT ON COLUMN reports.url IS 'Where the reader saw the posting.';
COMMENT ON COLUMN reports.reporter_name IS
    'The reader''s name, for operators alone. A worker removes it after the decision.';
COMMENT ON COLUMN reports.reporter_email IS 'The reader''s address, likewise, in lower case.';
COMMENT ON COLUMN reports.at IS 'When it was sent.';
COMMENT ON COLUMN reports.state IS 'waiting, dismissed or acted.';
COMMENT ON COLUMN reports.decided_at IS 'When an operator decided about it.';
COMMENT ON COLUMN reports.decided_by IS 'The operator''s name.';
COMMENT ON COLUMN reports.sentence IS 'The operator''s answer to the reader.';

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

CREATE TABLE posting_history (
    posting_id uuid NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    version bigint NOT NULL,
    step integer NOT NULL,
    at timestamptz NOT NULL,
    status text COLLATE "C" NOT NULL,
    reason text,
    actor text COLLATE "C" NOT NULL,
    PRIMARY KEY (posting_id, version, step)
);

COMMENT ON TABLE posting_history IS
    'What became of a posting, in the order of the key. Rows are only ever added.';
COMMENT ON COLUMN posting_history.posting_id IS 'The posting.';
COMMENT ON COLUMN posting_history.version IS
    'The version of the posting that the commit wrote which added this entry.';
COMMENT ON COLUMN posting_history.step IS 'Counts the entries of one commit, from 0.';
COMMENT ON COLUMN posting_history.at IS 'When.';
COMMENT ON COLUMN posting_history.status IS 'The status from then on.';
COMMENT ON COLUMN posting_history.reason IS 'Why, where there is a reason.';
COMMENT ON COLUMN posting_history.actor IS
    'Who brought it about: client:ID, catalogue:NAME, operator:NAME, enricher, operator or lifetime.';

-- Without a foreign key, whose check would cost every push that changes a posting: what deletes a
-- posting deletes its versions.
CREATE TABLE posting_versions (
    posting_id uuid NOT NULL,
    version bigint NOT NULL,
    at timestamptz NOT NULL,
    actor text COLLATE "C" NOT NULL,
    import uuid,
    before json NOT NULL,
    raw_description text COMPRESSION lz4,
    markdown text COMPRESSION lz4,
    redacted_markdown text COMPRESSION lz4,
    redacted_title text,
    latitude double precision,
    longitude double precision,
    findings json,
    PRIMARY KEY (posting_id, version)
);

COMMENT ON TABLE posting_versions IS
    'What each change of a posting replaced; deleted when it is old.';
COMMENT ON COLUMN posting_versions.posting_id IS 'The posting.';
COMMENT ON COLUMN posting_versions.version IS 'The version that the change made.';
COMMENT ON COLUMN posting_versions.at IS 'When.';
COMMENT ON COLUMN posting_versions.actor IS 'As in posting_history.';
COMMENT ON COLUMN posting_versions.import IS
    'The import whose line it was: the holder of a catalogue''s lease, or a random id.';
COMMENT ON COLUMN posting_versions.before IS
    'The values that it replaced, by their names, with the digests of what follows.';
COMMENT ON COLUMN posting_versions.raw_description IS 'The description that it replaced.';
COMMENT ON COLUMN posting_versions.markdown IS 'The text that it replaced.';
COMMENT ON COLUMN posting_versions.redacted_markdown IS 'The redacted text that it replaced.';
COMMENT ON COLUMN posting_versions.redacted_title IS 'The redacted title that it replaced.';
COMMENT ON COLUMN posting_versions.latitude IS 'Degrees north that it replaced.';
COMMENT ON COLUMN posting_versions.longitude IS 'Degrees east that it replaced.';
COMMENT ON COLUMN posting_versions.findings IS 'What else enrichment had found.';

CREATE INDEX posting_versions_by_age ON posting_versions (at);
CREATE INDEX posting_versions_by_import ON posting_versions (import, posting_id)
    WHERE import IS NOT NULL;

CREATE TABLE distinct_postings (
    one uuid NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    other uuid NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    PRIMARY KEY (one, other)
);

COMMENT ON TABLE distinct_postings IS 'Postings that an operator called two openings.';
COMMENT ON COLUMN distinct_postings.one IS 'The posting with the lower id.';
COMMENT ON COLUMN distinct_postings.other IS 'The other posting.';

CREATE INDEX distinct_postings_by_other ON distinct_postings (other);

-- What duplicates are found by.
CREATE TABLE posting_signatures (
    posting_id uuid NOT NULL PRIMARY KEY REFERENCES postings (id) ON DELETE CASCADE,
    band_1 bigint NOT NULL,
    band_2 bigint NOT NULL,
    band_3 bigint NOT NULL,
    band_4 bigint NOT NULL,
    signature bytea NOT NULL,
    since timestamptz NOT NULL,
    first_signature bytea
);

COMMENT ON TABLE posting_signatures IS
    'By what duplicates of a posting are found. Made by outcomes, of postings that are open; those of postings that are not open any more go when a search meets them.';
COMMENT ON COLUMN posting_signatures.posting_id IS 'The posting.';
COMMENT ON COLUMN posting_signatures.band_1 IS
    'A hash of company, title, place and a part of the signature. Duplicates have one of the four in common.';
COMMENT ON COLUMN posting_signatures.band_2 IS 'The same of the second part.';
COMMENT ON COLUMN posting_signatures.band_3 IS 'The same of the third part.';
COMMENT ON COLUMN posting_signatures.band_4 IS 'The same of the fourth part.';
COMMENT ON COLUMN posting_signatures.signature IS
    'The MinHash signature of the description, 64 values of two bytes: equal ones tell how much two texts have in common.';
COMMENT ON COLUMN posting_signatures.since IS
    'When the posting first had content that matches this.';
COMMENT ON COLUMN posting_signatures.first_signature IS
    'The signature of the description of that time; NULL if it is the same.';

-- The oldest postings of a band, of which a search looks at a few.
CREATE INDEX posting_signatures_in_band_1 ON posting_signatures (band_1, since, posting_id);
CREATE INDEX posting_signatures_in_band_2 ON posting_signatures (band_2, since, posting_id);
CREATE INDEX posting_signatures_in_band_3 ON posting_signatures (band_3, since, posting_id);
CREATE INDEX posting_signatures_in_band_4 ON posting_signatures (band_4, since, posting_id);

CREATE TABLE clients (
    id uuid NOT NULL PRIMARY KEY,
    name text NOT NULL,
    scopes text[] COLLATE "C" NOT NULL CHECK (array_position(scopes, NULL) IS NULL),
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    version bigint NOT NULL DEFAULT 1,
    prefixes json NOT NULL DEFAULT '[]',
    requests_per_minute bigint,
    last_push_at timestamptz,
    tokens_from timestamptz,
    expect_every_seconds bigint,
    visible bigint NOT NULL DEFAULT 0
)
-- The time of the last push changes every few seconds, and no index has it: with space left, the
-- row stays on its page.
WITH (fillfactor = 50);

COMMENT ON TABLE clients IS 'OAuth clients: who may ask for tokens.';
COMMENT ON COLUMN clients.id IS 'The client_id.';
COMMENT ON COLUMN clients.name IS 'What people call it.';
COMMENT ON COLUMN clients.scopes IS 'What it may ask for, without repeats.';
COMMENT ON COLUMN clients.created_at IS 'When it was made.';
COMMENT ON COLUMN clients.revoked_at IS 'When it was revoked; its tokens stop working then.';
COMMENT ON COLUMN clients.version IS 'Counts the commits that wrote it, but for its activity.';
COMMENT ON COLUMN clients.prefixes IS
    'The beginnings of the identifiers of the postings that it may read and write, a JSON array; empty for the whole board.';
COMMENT ON COLUMN clients.requests_per_minute IS
    'The most requests that each process accepts from it in a minute; unset for no limit.';
COMMENT ON COLUMN clients.last_push_at IS 'When it last pushed, refused or not; some seconds late.';
COMMENT ON COLUMN clients.expect_every_seconds IS
    'How often it pushes at least, as the operator expects; unset where its own rhythm says so.';
COMMENT ON COLUMN clients.visible IS
    'The approved postings that it created; about a minute late.';
COMMENT ON COLUMN clients.tokens_from IS
    'The earliest time of issue of its tokens that are accepted; NULL for any.';

CREATE TABLE client_secrets (
    client_id uuid NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    digest bytea NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz,
    PRIMARY KEY (client_id, digest)
)
-- As above.
WITH (fillfactor = 50);

COMMENT ON TABLE client_secrets IS
    'The secrets of clients: the newest, which has no end, and the one before it.';
COMMENT ON COLUMN client_secrets.client_id IS 'The client.';
COMMENT ON COLUMN client_secrets.digest IS
    'SHA-256 of the secret, which has 256 random bits and is stored nowhere.';
COMMENT ON COLUMN client_secrets.created_at IS 'When it was made.';
COMMENT ON COLUMN client_secrets.expires_at IS 'When it ends, if a newer one has replaced it.';
COMMENT ON COLUMN client_secrets.last_used_at IS
    'When a token was last issued for it; some seconds late.';

CREATE TABLE client_days (
    client_id uuid NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    date date NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    unchanged bigint NOT NULL,
    expired bigint NOT NULL,
    reopened bigint NOT NULL,
    refused bigint NOT NULL,
    approved bigint NOT NULL,
    rejected bigint NOT NULL,
    withdrawn bigint NOT NULL,
    hours bigint NOT NULL,
    PRIMARY KEY (client_id, date)
)
-- As above.
WITH (fillfactor = 50);

COMMENT ON TABLE client_days IS
    'What clients did on each of their newest days with anything. Written every few seconds.';
COMMENT ON COLUMN client_days.client_id IS 'The client.';
COMMENT ON COLUMN client_days.date IS 'The day, in UTC.';
COMMENT ON COLUMN client_days.created IS 'The number of postings that it created.';
COMMENT ON COLUMN client_days.updated IS 'Pushes that updated a posting or its company.';
COMMENT ON COLUMN client_days.unchanged IS 'Pushes that changed nothing.';
COMMENT ON COLUMN client_days.expired IS 'Postings that it expired.';
COMMENT ON COLUMN client_days.reopened IS 'Postings that it reopened.';
COMMENT ON COLUMN client_days.refused IS 'Pushes that were refused.';
COMMENT ON COLUMN client_days.approved IS
    'Of the postings that it created, those that were approved on this day.';
COMMENT ON COLUMN client_days.rejected IS 'Likewise, those that were rejected.';
COMMENT ON COLUMN client_days.withdrawn IS
    'Likewise, those that were rejected after they had been approved.';
COMMENT ON COLUMN client_days.hours IS 'The hours of the day with pushes, as bits.';

CREATE TABLE client_tallies (
    client_id uuid NOT NULL,
    date date NOT NULL,
    name text NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (client_id, date, name),
    FOREIGN KEY (client_id, date) REFERENCES client_days (client_id, date) ON DELETE CASCADE
)
-- As above.
WITH (fillfactor = 50);

COMMENT ON TABLE client_tallies IS
    'How often the postings of a day''s pushes had each optional field, and how often each remark
    was made on postings that the client created.';
COMMENT ON COLUMN client_tallies.client_id IS 'The client.';
COMMENT ON COLUMN client_tallies.date IS 'The day, in UTC.';
COMMENT ON COLUMN client_tallies.name IS 'Of the field, or the code of the remark.';
COMMENT ON COLUMN client_tallies.count IS 'How often.';

CREATE TABLE client_refusals (
    client_id uuid NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    identifier text COLLATE "C" NOT NULL,
    status integer NOT NULL,
    message text NOT NULL,
    rules json,
    errors json,
    request_id text COLLATE "C",
    count bigint NOT NULL,
    others json,
    PRIMARY KEY (client_id, id)
)
-- Rows come and go, as in the outbox.
WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE client_refusals IS 'The newest refused pushes of each client.';
COMMENT ON COLUMN client_refusals.client_id IS 'The client.';
COMMENT ON COLUMN client_refusals.id IS 'A UUIDv7: ids sort by time.';
COMMENT ON COLUMN client_refusals.at IS 'When it was refused.';
COMMENT ON COLUMN client_refusals.identifier IS
    'The identifier of the posting, as far as it can be shown.';
COMMENT ON COLUMN client_refusals.status IS 'The status of the answer.';
COMMENT ON COLUMN client_refusals.message IS 'Its message.';
COMMENT ON COLUMN client_refusals.rules IS
    'The codes of the broken rules, a JSON array; unset without any.';
COMMENT ON COLUMN client_refusals.errors IS
    'Its errors, a JSON object of lists by field; unset without any.';
COMMENT ON COLUMN client_refusals.request_id IS 'The id of the request.';
COMMENT ON COLUMN client_refusals.count IS
    'How many lines of one import were refused for that reason; this is the first.';
COMMENT ON COLUMN client_refusals.others IS
    'Identifiers of some others, a JSON array; unset without any.';

CREATE TABLE catalogues (
    id uuid NOT NULL PRIMARY KEY,
    client_id uuid NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    holder uuid,
    leased_until timestamptz,
    last_import uuid,
    counted_import uuid,
    expiring_import uuid,
    held_import uuid,
    held_before uuid,
    UNIQUE (client_id, name),
    CONSTRAINT lease_has_a_holder
        CHECK ((holder IS NULL) = (leased_until IS NULL))
)
-- A running import updates its row every few seconds, and no index has a column that changes: with
-- space left, the row stays on its page.
WITH (fillfactor = 50);

COMMENT ON TABLE catalogues IS
    'The postings that a client offers under a name. Which postings these are is in postings.catalogue_id.';
COMMENT ON COLUMN catalogues.id IS
    'A UUIDv7. A catalogue that was deleted and made again has another one.';
COMMENT ON COLUMN catalogues.client_id IS 'Whose catalogue it is.';
COMMENT ON COLUMN catalogues.name IS 'What the client calls it.';
COMMENT ON COLUMN catalogues.created_at IS 'When its first import began.';
COMMENT ON COLUMN catalogues.holder IS
    'The import that is running: a random id. Only a commit that finds it here may write for it.';
COMMENT ON COLUMN catalogues.leased_until IS 'When the lease of the import ends if it is not renewed.';
COMMENT ON COLUMN catalogues.last_import IS
    'The last import that ended, by the holder of its lease; unset before the first.';
COMMENT ON COLUMN catalogues.counted_import IS
    'The last import that was complete and not held back, by the holder of its lease: whose misses count.';
COMMENT ON COLUMN catalogues.expiring_import IS
    'The last import that expired any posting, by the holder of its lease; unset once that is undone.';
COMMENT ON COLUMN catalogues.held_import IS
    'The last complete import, by the holder of its lease, if it was held back and not released.';
COMMENT ON COLUMN catalogues.held_before IS
    'The same while an import runs: the postings that the import names are released no more.';

CREATE TABLE catalogue_imports (
    catalogue_id uuid NOT NULL REFERENCES catalogues (id) ON DELETE CASCADE,
    import uuid NOT NULL,
    started_at timestamptz NOT NULL,
    finished_at timestamptz NOT NULL,
    lines bigint NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    unchanged bigint NOT NULL,
    expired bigint NOT NULL,
    reopened bigint NOT NULL,
    refused bigint NOT NULL,
    failed bigint NOT NULL,
    unattributed bigint NOT NULL,
    notices json,
    changes json,
    missing bigint,
    missing_expired bigint,
    held_because text,
    is_released boolean NOT NULL,
    is_complete boolean NOT NULL,
    PRIMARY KEY (catalogue_id, import),
    CONSTRAINT missing_are_counted_together
        CHECK ((missing IS NULL) = (missing_expired IS NULL)),
    CONSTRAINT held_are_missing
        CHECK (held_because IS NULL OR missing IS NOT NULL)
);

COMMENT ON TABLE catalogue_imports IS
    'The last imports of catalogues that ended, with what came of them.';
COMMENT ON COLUMN catalogue_imports.catalogue_id IS 'The catalogue.';
COMMENT ON COLUMN catalogue_imports.import IS 'The holder of its lease.';
COMMENT ON COLUMN catalogue_imports.started_at IS 'When it began.';
COMMENT ON COLUMN catalogue_imports.finished_at IS 'When it ended.';
COMMENT ON COLUMN catalogue_imports.lines IS 'Its lines that were not blank.';
COMMENT ON COLUMN catalogue_imports.created IS 'Of its lines, those that created a posting.';
COMMENT ON COLUMN catalogue_imports.updated IS 'Those that changed a posting or its company.';
COMMENT ON COLUMN catalogue_imports.unchanged IS 'Those that changed nothing.';
COMMENT ON COLUMN catalogue_imports.expired IS 'Those that expired a posting.';
COMMENT ON COLUMN catalogue_imports.reopened IS 'Those that reopened a posting.';
COMMENT ON COLUMN catalogue_imports.refused IS 'Those that were refused.';
COMMENT ON COLUMN catalogue_imports.failed IS 'Those that the service could not answer.';
COMMENT ON COLUMN catalogue_imports.unattributed IS
    'Those without an answer that may be about a posting which they do not name.';
COMMENT ON COLUMN catalogue_imports.notices IS
    'The notices of its lines: a JSON object of numbers by code.';
COMMENT ON COLUMN catalogue_imports.changes IS
    'What it did to what was there, a JSON object; unset of an incomplete one.';
COMMENT ON COLUMN catalogue_imports.missing IS
    'The open postings that no line named; unset if the import did not get so far.';
COMMENT ON COLUMN catalogue_imports.missing_expired IS 'Those of them that expired.';
COMMENT ON COLUMN catalogue_imports.held_because IS
    'Why none of them expired: share, empty or unattributed. A release unsets it.';
COMMENT ON COLUMN catalogue_imports.is_released IS 'Whether they were held back, and released.';
COMMENT ON COLUMN catalogue_imports.is_complete IS
    'Whether every line had an answer, and the body ended as it should.';

CREATE TABLE missed_postings (
    import uuid NOT NULL,
    posting_id uuid NOT NULL,
    state text COLLATE "C" NOT NULL,
    misses bigint,
    PRIMARY KEY (import, posting_id),
    CONSTRAINT open_ones_are_counted CHECK ((state = 'open') = (misses IS NOT NULL))
);

COMMENT ON TABLE missed_postings IS
    'What became of open postings that an import of their catalogue missed. Deleted once catalogues does not name their import any more.';
COMMENT ON COLUMN missed_postings.import IS
    'The import, by the holder of its lease.';
COMMENT ON COLUMN missed_postings.posting_id IS
    'The posting. No foreign key: it may be deleted.';
COMMENT ON COLUMN missed_postings.state IS
    'Whether the import left it open, expired it, or held it back. Of one that expired, whether an undo reopened it or left it; of one that was held back, whether a release expired it or kept it. Of a posting that the import changed, whether an undo restored it or left it; undone once a release followed that undo.';
COMMENT ON COLUMN missed_postings.misses IS
    'Of one that was left open, the number of imports in a row that have missed it.';

CREATE TABLE subscribers (
    id uuid NOT NULL PRIMARY KEY,
    version bigint NOT NULL,
    email text COLLATE "C" NOT NULL UNIQUE,
    reported_at timestamptz,
    name text,
    country text,
    membership_plan_category text COLLATE "C",
    membership_status text COLLATE "C",
    membership_expires_at date,
    status text COLLATE "C" NOT NULL,
    suppressed_by text COLLATE "C",
    suppressed_in text COLLATE "C",
    suppressed_at timestamptz,
    suppressed_because text,
    reinstated_at timestamptz,
    departure text COLLATE "C",
    moved_to uuid,
    old_id text COLLATE "C",
    old_is_quiet boolean NOT NULL DEFAULT false,
    old_is_withdrawn boolean NOT NULL DEFAULT false,
    new_id text COLLATE "C",
    new_is_quiet boolean NOT NULL DEFAULT false,
    new_is_withdrawn boolean NOT NULL DEFAULT false,
    reported_as_of timestamptz,
    migrated_at timestamptz,
    migration_source text COLLATE "C",
    migration_arrived boolean NOT NULL,
    migration_shown_in text COLLATE "C",
    migration_token text COLLATE "C" NOT NULL UNIQUE,
    synced_digest bytea,
    synced_at timestamptz,
    updated_at timestamptz NOT NULL,
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
        CHECK (migrated_at IS NOT NULL OR NOT migration_arrived),
    CONSTRAINT only_a_migration_is_shown
        CHECK (migrated_at IS NOT NULL OR migration_shown_in IS NULL)
)
-- Hardly any update changes a column that an index has, so with space left it stays on its page.
WITH (fillfactor = 80);

COMMENT ON TABLE subscribers IS
    'What is known of an e-mail address: as the membership system reports the person, and as the e-mail provider says they stand. Deleted only when a person was erased, or has another address.';
COMMENT ON COLUMN subscribers.id IS 'The id in this service.';
COMMENT ON COLUMN subscribers.version IS
    'Counts the commits that wrote the row; each of them names the version it has read.';
COMMENT ON COLUMN subscribers.email IS
    'The address, trimmed and in lower case, compared byte for byte. One address cannot have two rows, so a report and a suppression that race for it meet.';
COMMENT ON COLUMN subscribers.reported_at IS
    'When the membership system first reported the person; until then the row only keeps what the provider said about the address.';
COMMENT ON COLUMN subscribers.name IS 'As last reported.';
COMMENT ON COLUMN subscribers.country IS 'As last reported, by its name.';
COMMENT ON COLUMN subscribers.membership_plan_category IS
    'Whose membership it is: individual or team; unset without a membership.';
COMMENT ON COLUMN subscribers.membership_status IS
    'Where the membership stands: active, expired or canceled; unset without one.';
COMMENT ON COLUMN subscribers.membership_expires_at IS 'Until when it is paid for, where known.';
COMMENT ON COLUMN subscribers.status IS
    'Whether the person may be written to: active, removed, bounced, unsubscribed or spam_reported. The strongest that was seen.';
COMMENT ON COLUMN subscribers.suppressed_by IS
    'From what a suppression was learnt: webhook, answer, move, import, reconciliation, operator, link or erasure (what is remembered of a person who was erased).';
COMMENT ON COLUMN subscribers.suppressed_in IS
    'The account that showed the suppression, where that is known: old or new.';
COMMENT ON COLUMN subscribers.suppressed_at IS 'When the suppression was learnt.';
COMMENT ON COLUMN subscribers.suppressed_because IS 'Why: the words of an operator, or what is known of the delivery.';
COMMENT ON COLUMN subscribers.reinstated_at IS
    'When an operator reinstated the person last: what the provider says of before that does not count.';
COMMENT ON COLUMN subscribers.departure IS
    'Why the address is to go from both accounts, if it is: moved (the person has another one) or erased (the person is to be forgotten).';
COMMENT ON COLUMN subscribers.moved_to IS
    'Of moved only: the id of the person''s row, which has the other address.';
COMMENT ON COLUMN subscribers.old_id IS
    'The id of the person in the old account, once that has shown one.';
COMMENT ON COLUMN subscribers.old_is_quiet IS
    'Whether the old account is known to send nothing to a person who is suppressed.';
COMMENT ON COLUMN subscribers.old_is_withdrawn IS
    'Whether this service itself has unsubscribed the person in the old account, or was about to.';
COMMENT ON COLUMN subscribers.new_id IS
    'The id of the person in the new account, once that has shown one.';
COMMENT ON COLUMN subscribers.new_is_quiet IS
    'Whether the new account is known to send nothing to a person who is suppressed.';
COMMENT ON COLUMN subscribers.new_is_withdrawn IS
    'Whether this service itself has unsubscribed the person in the new account, or was about to.';
COMMENT ON COLUMN subscribers.reported_as_of IS
    'The moment of which the last report that says one is.';
COMMENT ON COLUMN subscribers.migrated_at IS
    'When the person moved to the provider''s new account; unset in the old one.';
COMMENT ON COLUMN subscribers.migration_source IS
    'Who moved them: launch, email_confirmation or manual.';
COMMENT ON COLUMN subscribers.migration_arrived IS
    'Whether the provider''s accounts show the move already.';
COMMENT ON COLUMN subscribers.migration_shown_in IS
    'Which accounts have shown the person in the course of the move: old (found there), new (has joined its group, under this address or one before) or both.';
COMMENT ON COLUMN subscribers.migration_token IS
    'What lets the holder of an e-mailed link move. A secret.';
COMMENT ON COLUMN subscribers.synced_digest IS
    'SHA-256 of what the account that the person is in is known to hold; unset while that is not known.';
COMMENT ON COLUMN subscribers.synced_at IS
    'When an account was last told, or shown to hold, what was news to it.';
COMMENT ON COLUMN subscribers.updated_at IS 'When it was last written.';

-- Who is still in the old account, in the order of the list. A query uses it only if it repeats
-- both conditions. (The list of all goes by the index of the address.)
CREATE INDEX subscribers_unmigrated ON subscribers (email)
    WHERE migrated_at IS NULL AND reported_at IS NOT NULL;

-- Who is suppressed, reported or not, in the order of the list. A query uses it only if it
-- repeats the condition.
CREATE INDEX subscribers_suppressed ON subscribers (email) WHERE status <> 'active';

CREATE TABLE account_leases (
    account text COLLATE "C" NOT NULL PRIMARY KEY,
    holder uuid NOT NULL,
    ends_at timestamptz NOT NULL
);

COMMENT ON TABLE account_leases IS
    'Which process speaks to which of the provider''s accounts: one at a time keeps to its request limit.';
COMMENT ON COLUMN account_leases.account IS 'The account: old or new.';
COMMENT ON COLUMN account_leases.holder IS 'A random id of the process.';
COMMENT ON COLUMN account_leases.ends_at IS
    'When the lease ends if it is not renewed: a process that died holds nothing for long.';

CREATE TABLE account_states (
    account text COLLATE "C" NOT NULL PRIMARY KEY,
    paused_until timestamptz,
    pause_reason text,
    reconciled_at timestamptz
);

COMMENT ON TABLE account_states IS
    'What is kept of each of the provider''s accounts beside its lease: pauses outlast processes.';
COMMENT ON COLUMN account_states.account IS 'The account: old or new.';
COMMENT ON COLUMN account_states.paused_until IS 'Until when nothing is sent to it.';
COMMENT ON COLUMN account_states.pause_reason IS 'Why nothing is sent to it.';
COMMENT ON COLUMN account_states.reconciled_at IS
    'When its whole list was read to the end last.';

CREATE TABLE erased_suppressions (
    hash bytea NOT NULL PRIMARY KEY,
    status text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL
);

COMMENT ON TABLE erased_suppressions IS
    'What is remembered of suppressed people who were erased, so that nobody writes to them again.';
COMMENT ON COLUMN erased_suppressions.hash IS
    'HMAC-SHA-256 of the address, with the key of erasure_keys.';
COMMENT ON COLUMN erased_suppressions.status IS
    'How the person stood: removed, bounced, unsubscribed or spam_reported.';
COMMENT ON COLUMN erased_suppressions.at IS 'When that became all that is known.';

CREATE TABLE erasure_keys (
    singleton boolean NOT NULL PRIMARY KEY CHECK (singleton),
    key bytea NOT NULL
);

COMMENT ON TABLE erasure_keys IS 'The key of the hashes in erased_suppressions, made once.';
COMMENT ON COLUMN erasure_keys.singleton IS 'True: there is one row.';
COMMENT ON COLUMN erasure_keys.key IS '256 bits, 244 of them random. A secret.';

INSERT INTO erasure_keys (singleton, key)
    SELECT true, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());

-- What has to happen outside the database, written in the commit that makes it necessary.
--
-- A row is a key without data: its handler loads the current state, so there is at most one row for
-- each effect.

CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Kinds are not listed here, so that a new one needs no migration.
    kind text COLLATE "C" NOT NULL,
    -- No foreign key: kinds differ in what they are for.
    subject uuid NOT NULL,
    -- Not listed here either.
    account text COLLATE "C",
    generation bigint NOT NULL DEFAULT 1,
    attempts integer NOT NULL DEFAULT 0,
    next_at timestamptz NOT NULL,
    lease uuid,
    lost integer NOT NULL DEFAULT 0,
    first_failed_at timestamptz,
    last_error text,
    dead_at timestamptz,
    created_at timestamptz NOT NULL,
    trace_parent text COLLATE "C",
    CONSTRAINT dead_task_has_no_lease
        CHECK (dead_at IS NULL OR lease IS NULL),
    CONSTRAINT lost_claim_has_a_lease
        CHECK (lost = 0 OR lease IS NOT NULL)
)
-- A queue: every row is soon updated and deleted. Left for long, its dead rows would be in the
-- way of every claim, so they are cleared by count and not by the table's size.
WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE outbox IS
    'Effects to bring about, one row for each. A finished task is deleted.';
COMMENT ON COLUMN outbox.id IS 'Numbers the rows in the order written.';
COMMENT ON COLUMN outbox.kind IS 'The kind of effect, as the context that owns it declares it.';
COMMENT ON COLUMN outbox.subject IS 'What it is for: a posting or a subscriber, by its kind.';
COMMENT ON COLUMN outbox.account IS
    'The lane of its kind that was asked for last, of kinds that have several: of ''sync'' the provider''s account. One that ends with -bulk waits behind all others.';
COMMENT ON COLUMN outbox.generation IS
    'Counts how often an effect was asked for. A task that was asked for again since it was claimed is due once more when it is finished.';
COMMENT ON COLUMN outbox.attempts IS 'How often it was claimed since it was asked for anew.';
COMMENT ON COLUMN outbox.next_at IS
    'When it is due, or when its lease ends: a task whose worker died is due by itself.';
COMMENT ON COLUMN outbox.lease IS 'The claim it is worked on under.';
COMMENT ON COLUMN outbox.lost IS
    'How many claims in a row ended without a report: their workers died, perhaps of this task.';
COMMENT ON COLUMN outbox.first_failed_at IS
    'The first failed attempt since it was asked for anew.';
COMMENT ON COLUMN outbox.last_error IS 'What went wrong last.';
COMMENT ON COLUMN outbox.dead_at IS
    'When it was given up; it stays until an operator revives it or it is asked for again.';
COMMENT ON COLUMN outbox.created_at IS 'When it was written.';
COMMENT ON COLUMN outbox.trace_parent IS
    'The trace that the task belongs to, as the header traceparent has it; NULL if it is not traced.';

-- One row for each effect.
CREATE UNIQUE INDEX outbox_effects ON outbox (kind, subject);

-- What workers ask for: the tasks of a queue that are due, the longest due first; and those whose
-- lease ended, likewise. A query uses them only if it repeats expression and conditions literally.
-- A task is in one of them or in neither, so a claim costs one entry.
CREATE INDEX outbox_due ON outbox (kind, coalesce(account, ''), next_at, id)
    WHERE dead_at IS NULL AND lease IS NULL;
CREATE INDEX outbox_leased ON outbox (kind, coalesce(account, ''), next_at, id)
    WHERE lease IS NOT NULL;

-- What operators ask for.
CREATE INDEX outbox_dead ON outbox (id) WHERE dead_at IS NOT NULL;

-- Lets one statement be a whole commit: what it finds out on its way can undo it.
CREATE FUNCTION must_hold(condition boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF condition IS NOT TRUE THEN
        RAISE EXCEPTION 'the state moved meanwhile' USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN true;
END
$$;

COMMENT ON FUNCTION must_hold (boolean) IS
    'Fails with 40001 unless the condition is true: the caller has to read again.';

-- Events, which readers follow by cursor.

CREATE TABLE events (
    commit_seq bigint NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL,
    -- Names are not listed here, so that a new one needs no migration.
    name text COLLATE "C" NOT NULL,
    -- No foreign key: what happened stays true.
    subject uuid NOT NULL,
    source_identifier text COLLATE "C",
    version bigint,
    status text COLLATE "C",
    status_reason text COMPRESSION lz4,
    company_name text COMPRESSION lz4,
    company_website text COMPRESSION lz4 COLLATE "C",
    company_logo_path text COMPRESSION lz4,
    trace_parent text COLLATE "C",
    company_updated_by text COLLATE "C",
    company_merged_into uuid,
    decision_code text COLLATE "C",
    decision_ground text COLLATE "C",
    decision_by_notice boolean NOT NULL DEFAULT false,
    reported_posting uuid,
    attention json COMPRESSION lz4,
    -- The order of the log. Another index of all events would cost every commit more than it would
    -- save.
    PRIMARY KEY (commit_seq, number),
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
);

CREATE INDEX events_of_companies ON events (subject, commit_seq, number)
    WHERE company_name IS NOT NULL;

COMMENT ON TABLE events IS
    'What happened, written in the commit that caused it and never changed. Old rows are deleted.';
COMMENT ON INDEX events_of_companies IS
    'Webhooks pass over events of a company that has a newer one.';
COMMENT ON COLUMN events.commit_seq IS
    'The id of the transaction that wrote it, or of a later one that had ended by then, plus event_log.transaction_offset: the log is in the order of (commit_seq, number).';
COMMENT ON COLUMN events.number IS 'Numbers the rows in the order written.';
COMMENT ON COLUMN events.at IS 'When it happened.';
COMMENT ON COLUMN events.name IS 'What happened, as the context that raises it declares it.';
COMMENT ON COLUMN events.subject IS
    'The UUID of what it is about: a posting, a company or a subscriber.';
COMMENT ON COLUMN events.source_identifier IS
    'Of postings only: the id in the world it comes from.';
COMMENT ON COLUMN events.version IS 'Of postings only: the version that the commit wrote.';
COMMENT ON COLUMN events.status IS
    'Of postings only, as the commit left it: PendingEnrichment, approved, rejected or expired.';
COMMENT ON COLUMN events.status_reason IS 'Of postings only: the reason of the status, if any.';
COMMENT ON COLUMN events.company_name IS 'Of companies only: the name, as the commit left it.';
COMMENT ON COLUMN events.company_website IS 'Of companies only: the website.';
COMMENT ON COLUMN events.company_logo_path IS 'Of companies only: the path to the logo, if any.';
COMMENT ON COLUMN events.attention IS
    'Of a matter that needs attention only: the item, a JSON object.';
COMMENT ON COLUMN events.trace_parent IS
    'The trace of the event''s cause, as the header traceparent has it; NULL if it is not traced.';
COMMENT ON COLUMN events.company_updated_by IS 'Of companies only: who changed it.';
COMMENT ON COLUMN events.company_merged_into IS
    'Of companies only: the one that it was merged into.';
COMMENT ON COLUMN events.decision_code IS 'Of decisions about a posting only: the code.';
COMMENT ON COLUMN events.decision_ground IS 'Likewise: terms or law; unset of an approval.';
COMMENT ON COLUMN events.decision_by_notice IS
    'Whether it is of a decision that a report of a reader led to.';
COMMENT ON COLUMN events.reported_posting IS
    'Of reports of readers only: the posting. Such an event has the posting''s identifier; its status is acted or dismissed, and its status_reason the answer to the reader.';

CREATE TABLE event_log (
    singleton boolean NOT NULL PRIMARY KEY CHECK (singleton),
    transaction_offset bigint NOT NULL,
    deleted_in bigint NOT NULL,
    deleted_number bigint NOT NULL
);

COMMENT ON TABLE event_log IS 'What is known of the event log as a whole.';
COMMENT ON COLUMN event_log.singleton IS 'True: there is one row.';
COMMENT ON COLUMN event_log.transaction_offset IS
    'What is added to ids of transactions. They start low again when a dump is restored in a new server; raised then, so that new events follow old ones.';
COMMENT ON COLUMN event_log.deleted_in IS
    'The commit_seq of the last event that was deleted: a cursor before it has missed events.';
COMMENT ON COLUMN event_log.deleted_number IS 'Its number.';

INSERT INTO event_log (singleton, transaction_offset, deleted_in, deleted_number)
    VALUES (true, 0, 0, 0);

-- In a volatile function an expression has a snapshot of its own, taken now and not when the
-- calling statement began.
CREATE FUNCTION event_place() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN greatest(
        pg_current_xact_id()::text::bigint,
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1
    );
END
$$;

COMMENT ON FUNCTION event_place () IS
    'The own transaction, or a later one if that has ended: not below the place of any commit that the own one had to wait for. Without the offset.';

-- Webhooks: receivers of events, how far the deliveries to each are, and the last attempts.

CREATE TABLE webhook_endpoints (
    id uuid NOT NULL PRIMARY KEY,
    owner text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    version bigint NOT NULL,
    url text COLLATE "C" NOT NULL,
    names json,
    prefixes json NOT NULL,
    include_posting boolean NOT NULL,
    description text,
    state text COLLATE "C" NOT NULL,
    state_reason text,
    -- Not a digest, because each delivery is signed with it.
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_secret_until timestamptz,
    updated_at timestamptz NOT NULL,
    commit_seq bigint NOT NULL,
    number bigint NOT NULL,
    last_success_at timestamptz,
    failing_since timestamptz,
    silent_rounds integer NOT NULL DEFAULT 0,
    open_until timestamptz,
    attempts bigint NOT NULL DEFAULT 0,
    holder uuid,
    leased_until timestamptz,
    CONSTRAINT disabled_has_a_reason
        CHECK ((state = 'disabled') = (state_reason IS NOT NULL)),
    CONSTRAINT previous_secret_has_an_end
        CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL)),
    CONSTRAINT holder_has_a_lease
        CHECK (holder IS NULL OR leased_until IS NOT NULL)
)
-- Each round of deliveries updates a row two or three times, and no index has a column that a round
-- changes: with space left, the row stays on its page.
WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE webhook_endpoints IS
    'Receivers of events, as their owners registered them, and how far the deliveries to each are.';
COMMENT ON COLUMN webhook_endpoints.id IS 'A UUIDv7: ids sort by age.';
COMMENT ON COLUMN webhook_endpoints.owner IS 'client:ID, or operator.';
COMMENT ON COLUMN webhook_endpoints.created_at IS 'When it was registered.';
COMMENT ON COLUMN webhook_endpoints.version IS
    'Counts the changes by its owner, its disabling, and events that are sent again.';
COMMENT ON COLUMN webhook_endpoints.url IS 'The address of the receiver.';
COMMENT ON COLUMN webhook_endpoints.names IS
    'The names of the wanted events, a JSON array; unset for all public ones.';
COMMENT ON COLUMN webhook_endpoints.prefixes IS
    'The beginnings of the identifiers of the postings that it may see, a JSON array; empty for the whole board.';
COMMENT ON COLUMN webhook_endpoints.include_posting IS
    'Whether events of a posting carry the posting as it is when they are delivered.';
COMMENT ON COLUMN webhook_endpoints.description IS 'The owner''s own words.';
COMMENT ON COLUMN webhook_endpoints.state IS
    'Whether events are delivered: active, paused (by the owner) or disabled (because deliveries failed for too long, or the receiver wants no more).';
COMMENT ON COLUMN webhook_endpoints.state_reason IS 'Why it is disabled.';
COMMENT ON COLUMN webhook_endpoints.secret IS
    'A secret: the key that signs deliveries, as it is. A reader of this column can sign in the service''s name.';
COMMENT ON COLUMN webhook_endpoints.previous_secret IS
    'A secret: the key before, which signs beside the new one for a while.';
COMMENT ON COLUMN webhook_endpoints.previous_secret_until IS 'When the key before ends.';
COMMENT ON COLUMN webhook_endpoints.updated_at IS 'When its version was written.';
COMMENT ON COLUMN webhook_endpoints.commit_seq IS
    'The place in the event log of the last event that was delivered, waits or was passed: the commit_seq of the event.';
COMMENT ON COLUMN webhook_endpoints.number IS 'The number of that event.';
COMMENT ON COLUMN webhook_endpoints.last_success_at IS 'When a delivery last succeeded.';
COMMENT ON COLUMN webhook_endpoints.failing_since IS 'When one first failed since then.';
COMMENT ON COLUMN webhook_endpoints.silent_rounds IS
    'The number of rounds without an answer since the last one.';
COMMENT ON COLUMN webhook_endpoints.open_until IS
    'Until when its circuit is open, or for how long the receiver asked to be left alone.';
COMMENT ON COLUMN webhook_endpoints.attempts IS
    'Counts the attempts that were recorded, and so numbers them.';
COMMENT ON COLUMN webhook_endpoints.holder IS 'The worker that delivers to it: a random id.';
COMMENT ON COLUMN webhook_endpoints.leased_until IS
    'When the lease ends if it is not renewed; without a holder, when the endpoint may be leased again.';

CREATE INDEX webhook_endpoints_by_owner ON webhook_endpoints (owner, id);

CREATE TABLE webhook_waiting (
    endpoint uuid NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    subject uuid NOT NULL,
    -- No foreign key: the log forgets.
    commit_seq bigint NOT NULL,
    number bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    attempts integer NOT NULL,
    next_at timestamptz NOT NULL,
    last_error text,
    is_silent boolean NOT NULL,
    later text COMPRESSION lz4 COLLATE "C" NOT NULL,
    read_to text COLLATE "C",
    PRIMARY KEY (endpoint, subject)
)
-- Rows come and go, as in the outbox.
WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE webhook_waiting IS
    'Subjects whose events wait for an endpoint: the last attempt at the next one failed, or there were too many of them for one round. One that is settled is deleted.';
COMMENT ON COLUMN webhook_waiting.endpoint IS 'The endpoint.';
COMMENT ON COLUMN webhook_waiting.subject IS 'The UUID of what the events are about.';
COMMENT ON COLUMN webhook_waiting.commit_seq IS
    'The place of the next event in the log: its commit_seq.';
COMMENT ON COLUMN webhook_waiting.number IS 'Its number.';
COMMENT ON COLUMN webhook_waiting.name IS 'Its name.';
COMMENT ON COLUMN webhook_waiting.attempts IS 'The number of attempts at it.';
COMMENT ON COLUMN webhook_waiting.next_at IS 'When the next attempt is due.';
COMMENT ON COLUMN webhook_waiting.last_error IS 'Why the last attempt failed.';
COMMENT ON COLUMN webhook_waiting.is_silent IS 'Whether the last attempt was not answered.';
COMMENT ON COLUMN webhook_waiting.later IS
    'The events that wait behind it, a JSON array of texts: a cursor, a space and a name.';
COMMENT ON COLUMN webhook_waiting.read_to IS
    'The cursor up to which they are listed, if that is not the place of the endpoint: further ones are found in the log.';

-- The longest due first.
CREATE INDEX webhook_waiting_due ON webhook_waiting (endpoint, next_at, commit_seq, number);

-- Those that are due when the endpoint answers again.
CREATE INDEX webhook_waiting_silent ON webhook_waiting (endpoint, next_at) WHERE is_silent;

CREATE TABLE webhook_deliveries (
    endpoint uuid NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    slot integer NOT NULL,
    position bigint NOT NULL,
    at timestamptz NOT NULL,
    commit_seq bigint NOT NULL,
    number bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    attempt integer NOT NULL,
    status integer,
    duration_ms bigint NOT NULL,
    error text,
    PRIMARY KEY (endpoint, slot)
)
-- A new attempt takes the row of the oldest, and the only index has no column that changes then.
WITH (fillfactor = 50);

COMMENT ON TABLE webhook_deliveries IS
    'The newest attempts at each endpoint. Their number is fixed: a new one takes the row of the oldest.';
COMMENT ON COLUMN webhook_deliveries.endpoint IS 'The endpoint.';
COMMENT ON COLUMN webhook_deliveries.slot IS
    'The rest of the position, divided by how many are kept.';
COMMENT ON COLUMN webhook_deliveries.position IS 'Counts the attempts at the endpoint.';
COMMENT ON COLUMN webhook_deliveries.at IS 'When it ended.';
COMMENT ON COLUMN webhook_deliveries.commit_seq IS
    'The place of the event in the log: its commit_seq.';
COMMENT ON COLUMN webhook_deliveries.number IS 'Its number.';
COMMENT ON COLUMN webhook_deliveries.name IS 'Its name.';
COMMENT ON COLUMN webhook_deliveries.attempt IS 'Counts the attempts at this event.';
COMMENT ON COLUMN webhook_deliveries.status IS 'The status of the answer; unset without one.';
COMMENT ON COLUMN webhook_deliveries.duration_ms IS
    'The time until the answer, in milliseconds.';
COMMENT ON COLUMN webhook_deliveries.error IS 'Why it failed.';

CREATE TABLE attention_items (
    id uuid NOT NULL PRIMARY KEY,
    kind text COLLATE "C" NOT NULL,
    subject text NOT NULL,
    client_id uuid,
    since timestamptz NOT NULL,
    sentence text NOT NULL,
    page text COLLATE "C" NOT NULL,
    is_of_board boolean NOT NULL
);

COMMENT ON TABLE attention_items IS
    'What an operator or integrator should look at, as a worker found it last.';
COMMENT ON COLUMN attention_items.id IS 'Derived from the kind and its subject.';
COMMENT ON COLUMN attention_items.kind IS 'The kind of matter.';
COMMENT ON COLUMN attention_items.subject IS 'The name of what it is about.';
COMMENT ON COLUMN attention_items.client_id IS
    'The client that it is about. No foreign key: the next check ends it.';
COMMENT ON COLUMN attention_items.since IS 'When it began.';
COMMENT ON COLUMN attention_items.sentence IS 'What is the matter, and what to do.';
COMMENT ON COLUMN attention_items.page IS 'The path of the console''s page about it.';
COMMENT ON COLUMN attention_items.is_of_board IS
    'Whether it is about postings, so that clients without prefixes may see it.';

CREATE TABLE attention_checks (
    singleton boolean NOT NULL PRIMARY KEY CHECK (singleton),
    version bigint NOT NULL,
    at timestamptz NOT NULL
)
WITH (fillfactor = 50);

COMMENT ON TABLE attention_checks IS
    'The last check of what needs attention, in one row; without a row there was none.';
COMMENT ON COLUMN attention_checks.singleton IS 'True: there is one row.';
COMMENT ON COLUMN attention_checks.version IS
    'Counts the checks. Each names the one before, so that none is based on older items.';
COMMENT ON COLUMN attention_checks.at IS 'When it was.';

CREATE TABLE audit (
    id uuid NOT NULL PRIMARY KEY,
    run uuid NOT NULL,
    at timestamptz NOT NULL,
    operator text NOT NULL,
    action text COLLATE "C" NOT NULL,
    subject text COLLATE "C",
    details json NOT NULL
);

COMMENT ON TABLE audit IS
    'What operators did, each line written with what it tells of. People are named by their ids, so that no address is kept here.';
COMMENT ON COLUMN audit.id IS 'The id of the line.';
COMMENT ON COLUMN audit.run IS 'One command''s, which may act on many subjects.';
COMMENT ON COLUMN audit.at IS 'When it was done, or began.';
COMMENT ON COLUMN audit.operator IS
    'The name of the operator; client:ID for whoever signs in to the pages of a client.';
COMMENT ON COLUMN audit.action IS
    'What was done, such as subscribers.suppress. Not listed here, so that a new one needs no migration.';
COMMENT ON COLUMN audit.subject IS
    'To whom or what it was done: a subscriber''s id, a posting''s source identifier.';
COMMENT ON COLUMN audit.details IS 'Further things to say: a JSON object.';

-- The order in which it is read: all, by operator, by action, by subject. Few entries
-- are written.
CREATE INDEX audit_newest ON audit (at, id);
CREATE INDEX audit_by_operator ON audit (operator, at, id);
CREATE INDEX audit_by_action ON audit (action, at, id);
CREATE INDEX audit_by_subject ON audit (subject, at, id);

CREATE TABLE sign_in_tokens (
    digest bytea NOT NULL PRIMARY KEY,
    kind text COLLATE "C" NOT NULL,
    holder text COLLATE "C" NOT NULL,
    scopes text[] COLLATE "C" NOT NULL CHECK (array_position(scopes, NULL) IS NULL),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);

COMMENT ON TABLE sign_in_tokens IS
    'What lets a browser act for an operator or a client: links that sign in once, and sessions.';
COMMENT ON COLUMN sign_in_tokens.digest IS
    'SHA-256 of the token, which has 256 random bits and is stored nowhere.';
COMMENT ON COLUMN sign_in_tokens.kind IS 'Link or session.';
COMMENT ON COLUMN sign_in_tokens.holder IS 'For whom it is: operator:NAME or client:ID.';
COMMENT ON COLUMN sign_in_tokens.scopes IS
    'What it permits, as far as the client still has these scopes. Empty for an operator.';
COMMENT ON COLUMN sign_in_tokens.created_at IS 'When it was made.';
COMMENT ON COLUMN sign_in_tokens.expires_at IS
    'When it ends. A worker deletes it some time later.';

-- What the worker asks for that deletes them.
CREATE INDEX sign_in_tokens_by_end ON sign_in_tokens (expires_at);

-- Of each holder the newest are kept.
CREATE INDEX sign_in_tokens_by_holder ON sign_in_tokens (holder, kind, created_at);

-- A row begins as a reservation, by the worker that asks the model, and becomes the draft.
CREATE TABLE drafts (
    key bytea NOT NULL PRIMARY KEY,
    holder uuid,
    reserved_until timestamptz,
    used_at timestamptz NOT NULL,
    draft text COMPRESSION lz4,
    posting_id uuid,
    CONSTRAINT reservation_has_a_holder
        CHECK ((draft IS NULL) = (holder IS NOT NULL)),
    CONSTRAINT reservation_has_an_end
        CHECK ((holder IS NULL) = (reserved_until IS NULL))
)
-- Renewing a reservation changes no column that an index has, so with space left it stays on its
-- page.
WITH (fillfactor = 80);

COMMENT ON TABLE drafts IS
    'What a language model was paid for, and who is about to pay. What is long unused is deleted.';
COMMENT ON COLUMN drafts.key IS
    'SHA-256 of everything that the draft depends on: the content of a posting, the model and its instructions.';
COMMENT ON COLUMN drafts.holder IS
    'The worker that gets the draft: a random id. Unset once there is one.';
COMMENT ON COLUMN drafts.reserved_until IS
    'When the reservation ends if it is not renewed: a process that died keeps nobody waiting for long. Unset once there is a draft.';
COMMENT ON COLUMN drafts.used_at IS
    'When the draft was last kept or found, give or take a day; before there is one, when it was first asked for.';
COMMENT ON COLUMN drafts.draft IS 'The draft, as the model''s adapter writes it; unset while reserved.';
COMMENT ON COLUMN drafts.posting_id IS
    'The posting that the draft was kept for, with which it is erased. No foreign key: what only expires leaves its draft, which another posting with the same content may use.';

-- What has been unused for longest.
CREATE INDEX drafts_used ON drafts (used_at);
CREATE INDEX drafts_by_posting ON drafts (posting_id) WHERE draft IS NOT NULL;

-- What lets programs of the version before go on with a schema that a newer one has migrated.

CREATE TABLE schema_compatibility (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    needs text COLLATE "C" NOT NULL CHECK (needs <> '')
);

COMMENT ON TABLE schema_compatibility IS
    'Which programs can work with this schema. It has one row. A migration that removes what older programs use changes it.';
COMMENT ON COLUMN schema_compatibility.singleton IS 'True: there is one row.';
COMMENT ON COLUMN schema_compatibility.needs IS
    'The version of a migration. Programs that know it can work with the schema, also if it has later migrations that they do not know.';

INSERT INTO schema_compatibility (needs) VALUES ('20261124000000');
