-- The schema of version 0.3.0: postings with their companies, OAuth clients, catalogues, newsletter
-- subscribers, the event log, webhooks, the outbox, the audit, sign-ins, and the drafts of language
-- models.
--
-- Checks only relate columns to each other. The program decides which values are valid, and names
-- the column of an invalid value. Texts that are compared but never shown in order are COLLATE "C":
-- they are compared byte for byte, whatever the locale of the database.

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
-- Only a new name or a merge changes an indexed column. With free space, rows stay on their page.
WITH (fillfactor = 80);

COMMENT ON TABLE companies IS
    'Pushes of postings create and update companies, which are never deleted.';
COMMENT ON COLUMN companies.id IS
    'The UUIDv5 of website_key, so that a website cannot have two rows.';
COMMENT ON COLUMN companies.name IS 'The name, as last pushed or set by an operator.';
COMMENT ON COLUMN companies.website IS 'The website as the creator sent it.';
COMMENT ON COLUMN companies.website_key IS
    'Identifies a company: the website in its normal form, without scheme, www. and so on.';
COMMENT ON COLUMN companies.name_key IS
    'Used to find companies that may be duplicates: the name without case and legal form.';
COMMENT ON COLUMN companies.site IS
    'Also used to find duplicates: the registered domain, or the company''s own address at a hosting service.';
COMMENT ON COLUMN companies.alias_of IS
    'The company into which an operator merged this one. Pushes with this website count for that company. There is no foreign key, because a copy of the database gets rows in any order.';
COMMENT ON COLUMN companies.logo_path IS 'The path to the logo.';
COMMENT ON COLUMN companies.created_at IS 'When the company was first pushed.';
COMMENT ON COLUMN companies.updated_at IS 'When the row was last written.';
COMMENT ON COLUMN companies.former_names IS
    'Former names, newest first, at most 20. NULL if there are none. They are redacted from texts, too.';
COMMENT ON COLUMN companies.owner IS
    'The client that owns the company. Of the clients with prefixes, only the owner may change it. There is no foreign key: a revoked client stays the owner.';
COMMENT ON COLUMN companies.keeps_name IS
    'Whether an operator set the name. Pushes then do not change it.';
COMMENT ON COLUMN companies.keeps_logo IS
    'Whether an operator set the logo. Pushes then do not change it.';
COMMENT ON COLUMN companies.updated_by IS
    'The actor that last changed the name, the logo or the owner: client:ID or operator:NAME.';
COMMENT ON COLUMN companies.merged_at IS
    'When an operator last merged the company, or undid a merge.';

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

COMMENT ON TABLE company_pairs IS 'Companies that may be duplicates.';
COMMENT ON COLUMN company_pairs.one IS 'The company with the lower id.';
COMMENT ON COLUMN company_pairs.other IS 'The other company.';
COMMENT ON COLUMN company_pairs.is_similar IS 'Whether the companies have the same name and site.';
COMMENT ON COLUMN company_pairs.lookalike IS
    'The company that a client with prefixes created on the other company''s site.';
COMMENT ON COLUMN company_pairs.since IS 'When the pair was found.';
COMMENT ON COLUMN company_pairs.seen_at IS 'When a search last examined the pair.';
COMMENT ON COLUMN company_pairs.is_apart IS
    'Whether an operator decided that the companies are different.';

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
    description_essence bytea NOT NULL,
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
-- Nearly every update changes updated_at, which is indexed. So it adds entries to all indexes, even
-- with free space. But in a large table, new row versions would go to free space in pages that are
-- not in memory: 30 % fewer updates a second at 1.2 million postings. With a tenth of each page
-- reserved for its own rows, new versions stay on the page or go to the end of the table.
WITH (
    fillfactor = 90,
    autovacuum_vacuum_scale_factor = 0.05,
    toast.autovacuum_vacuum_scale_factor = 0.05
);

COMMENT ON TABLE postings IS 'Job postings as pushed, and their state.';
COMMENT ON COLUMN postings.id IS 'The posting''s id in this service.';
COMMENT ON COLUMN postings.source_identifier IS
    'The posting''s id in its source, compared byte for byte.';
COMMENT ON COLUMN postings.version IS
    'Increases with each commit that writes the row. A commit must name the version that it read.';
COMMENT ON COLUMN postings.status IS 'PendingEnrichment, approved, rejected or expired.';
COMMENT ON COLUMN postings.status_reason IS 'The reason of the newest change of status.';
COMMENT ON COLUMN postings.review IS
    'Why the newest content gets no verdict without an operator (no_verdict or poison), or that it is held back because it is not a job ad (content_held). NULL if there is no such reason.';
COMMENT ON COLUMN postings.moderated IS
    'Whether an operator set the status, by a verdict or an expiry. Only an operator can reverse such a rejection or expiry.';
COMMENT ON COLUMN postings.company_id IS
    'The company of the posting. There is no foreign key: companies are never deleted, and a check would slow every new posting.';
COMMENT ON COLUMN postings.came_by IS
    'The alias by which the posting came to the company. If the merge is undone, the posting returns to the alias.';
COMMENT ON COLUMN postings.enriched_hash IS
    'SHA-256 of the content of the last enrichment outcome.';
COMMENT ON COLUMN postings.approved_hash IS
    'SHA-256 of the content that an operator approved. No enricher overrules this approval.';
COMMENT ON COLUMN postings.is_featured IS 'Whether an operator features the posting.';
COMMENT ON COLUMN postings.published_at IS 'When the posting was first approved.';
COMMENT ON COLUMN postings.expire_at IS 'When the posting''s lifetime ends.';
COMMENT ON COLUMN postings.expired_at IS 'When the posting expired.';
COMMENT ON COLUMN postings.created_at IS 'When the posting was first pushed.';
COMMENT ON COLUMN postings.updated_at IS 'When the posting last changed. The time never goes back.';
COMMENT ON COLUMN postings.title IS 'At most 255 characters.';
COMMENT ON COLUMN postings.employment_types IS
    'In the order sent, each once: full-time, part-time, contract, internship.';
COMMENT ON COLUMN postings.location_types IS
    'In the order sent, each once: remote, on-site, hybrid, other.';
COMMENT ON COLUMN postings.location_country_code IS 'ISO 3166-1 alpha-2, upper case.';
COMMENT ON COLUMN postings.location_city IS 'City of the workplace.';
COMMENT ON COLUMN postings.salary_min IS 'Lower end, in whole units of the currency.';
COMMENT ON COLUMN postings.salary_max IS 'Upper end, in whole units of the currency.';
COMMENT ON COLUMN postings.salary_currency_code IS 'ISO 4217, upper case.';
COMMENT ON COLUMN postings.salary_period IS 'hourly, weekly, monthly or annually.';
COMMENT ON COLUMN postings.application_email IS 'The e-mail address for applications.';
COMMENT ON COLUMN postings.application_url IS 'The web address for applications.';
COMMENT ON COLUMN postings.expiration_reason IS 'Why the posting expired, as pushed.';
COMMENT ON COLUMN postings.valid_through IS
    'The closing date in the source: a day, or an RFC 3339 time in UTC. expire_at is never after it.';
COMMENT ON COLUMN postings.date_posted IS
    'When the source published the posting: a day, or an RFC 3339 time in UTC.';
COMMENT ON COLUMN postings.requisition_id IS 'The employer''s number of the opening.';
COMMENT ON COLUMN postings.location_region IS 'An ISO 3166-2 code, or a name.';
COMMENT ON COLUMN postings.location_postal_code IS 'Postal code of the workplace.';
COMMENT ON COLUMN postings.locations IS
    'All places of a job that has several: an array of objects with country_code, region, city and postal_code.';
COMMENT ON COLUMN postings.description_digest IS
    'Digest of raw_description. So a repeated description is recognised without being read.';
COMMENT ON COLUMN postings.description_essence IS
    'Digest of raw_description without parts that change by themselves (relative dates, tracking parameters, white space).';
COMMENT ON COLUMN postings.metadata IS
    'A JSON object. The type is json, so that order, repetitions and spelling stay as sent.';
COMMENT ON COLUMN postings.raw_description IS 'HTML as sent.';
COMMENT ON COLUMN postings.texts_digest IS
    'SHA-256 of the enrichment''s result. If a new result is the same, it raises no event. NULL before the first result.';
COMMENT ON COLUMN postings.created_by IS
    'The actor that created the posting (see posting_history.actor).';
COMMENT ON COLUMN postings.updated_by IS 'The actor of the last change.';
COMMENT ON COLUMN postings.catalogue_id IS
    'The catalogue that last listed the posting. There is no foreign key: deleting a catalogue does not change its postings.';
COMMENT ON COLUMN postings.duplicate_of IS
    'The first open posting with the same content, of which this posting is a duplicate. There is no foreign key: the id counts only together with duplicate_identifier.';
COMMENT ON COLUMN postings.duplicate_identifier IS
    'The identifier of the original, which decides which clients may see the original.';
COMMENT ON COLUMN postings.content_at IS
    'When a push last changed company, title, place or description. NULL if only the first push set them.';
COMMENT ON COLUMN postings.shown IS
    'The values that readers see while new values wait for a verdict. NULL if none wait.';
COMMENT ON COLUMN postings.held_at IS
    'The time since which content is held back because it is not a job ad.';

-- The two orders of the list: all postings, and the postings of a status.
CREATE INDEX postings_by_update ON postings (updated_at, id);
CREATE INDEX postings_by_status ON postings (status, updated_at, id);

-- Counts each client's visible postings. A worker does so every minute.
CREATE INDEX postings_visible ON postings (created_by) WHERE status = 'approved';

-- Finds postings whose lifetime has ended. A query must name the two statuses literally to use it.
CREATE INDEX postings_by_end ON postings (expire_at, source_identifier)
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
CREATE INDEX postings_by_original ON postings (duplicate_of, id)
    WHERE duplicate_of IS NOT NULL;

-- The postings whose content is held back until a worker ends the hold.
CREATE INDEX postings_held ON postings (held_at) WHERE held_at IS NOT NULL;

-- The postings with a requisition number of the employer.
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
-- Each enrichment writes a row again, and changes no indexed column.
WITH (fillfactor = 80);

COMMENT ON TABLE posting_texts IS
    'The result of enriching a posting. It is a separate table, because rules do not read the texts and pushes do not write them.';
COMMENT ON COLUMN posting_texts.posting_id IS 'The posting.';
COMMENT ON COLUMN posting_texts.latitude IS 'Degrees north, WGS 84. NULL if unknown.';
COMMENT ON COLUMN posting_texts.longitude IS 'Degrees east, WGS 84. NULL if unknown.';
COMMENT ON COLUMN posting_texts.markdown IS 'The description as CommonMark.';
COMMENT ON COLUMN posting_texts.redacted_markdown IS
    'The description without parts that identify the company or lead around the board.';
COMMENT ON COLUMN posting_texts.redacted_title IS
    'The title without parts that identify the company: one line of plain text.';
COMMENT ON COLUMN posting_texts.findings IS
    'An object with other findings: places, and the coordinates of each of the posting''s locations.';

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
-- Each decision writes a row again, and changes no indexed column.
WITH (fillfactor = 80);

COMMENT ON TABLE posting_decisions IS
    'The newest decision whether a posting may be shown. It is a separate table, because pushes do not write it.';
COMMENT ON COLUMN posting_decisions.posting_id IS 'The posting.';
COMMENT ON COLUMN posting_decisions.outcome IS 'approved, rejected or removed.';
COMMENT ON COLUMN posting_decisions.at IS 'When the decision was made.';
COMMENT ON COLUMN posting_decisions.decided_by IS
    'The origin of the decision: rules, model, operator:NAME or operator.';
COMMENT ON COLUMN posting_decisions.version IS
    'The version of the rules, or the model''s name with the version of its prompt. NULL for an operator.';
COMMENT ON COLUMN posting_decisions.code IS 'The reason as a code.';
COMMENT ON COLUMN posting_decisions.sentence IS 'The reason as a sentence.';
COMMENT ON COLUMN posting_decisions.passages IS
    'The passages of the posting on which the decision is based, verbatim: an array of texts.';
COMMENT ON COLUMN posting_decisions.ground IS 'terms or law. NULL for an approval.';
COMMENT ON COLUMN posting_decisions.by_notice IS 'Whether a reader''s report led to the decision.';
COMMENT ON COLUMN posting_decisions.objection IS
    'The client''s objection and its answer: a JSON object.';
COMMENT ON COLUMN posting_decisions.objection_waits_since IS
    'When the client objected. Set only while the objection waits for an answer.';

-- Objections that operators must answer. Few objections wait.
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
    'All rejections and removals, for transparency reports. A row has no text, and stays when the posting is deleted.';
COMMENT ON COLUMN statements.posting_id IS
    'The posting. There is no foreign key, because the posting may be erased.';
COMMENT ON COLUMN statements.at IS 'When the decision was made.';
COMMENT ON COLUMN statements.outcome IS 'rejected or removed.';
COMMENT ON COLUMN statements.ground IS 'terms or law.';
COMMENT ON COLUMN statements.code IS 'The reason as a code.';
COMMENT ON COLUMN statements.by_notice IS 'Whether a reader''s report led to the decision.';
COMMENT ON COLUMN statements.objection IS 'waiting, upheld or reversed. NULL without an objection.';

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
COMMENT ON COLUMN reports.id IS 'The id, which is random.';
COMMENT ON COLUMN reports.posting_id IS
    'The posting. There is no foreign key, because the posting may be erased.';
COMMENT ON COLUMN reports.source_identifier IS 'The posting''s identifier.';
COMMENT ON COLUMN reports.reason IS
    'fraud, discrimination, illegal, misleading, closed or other.';
COMMENT ON COLUMN reports.statement IS 'The reader''s text. Empty after the posting is erased.';
COMMENT ON COLUMN reports.url IS 'Where the reader saw the posting.';
COMMENT ON COLUMN reports.reporter_name IS
    'The reader''s name, which only operators may see. A worker removes it some time after the decision.';
COMMENT ON COLUMN reports.reporter_email IS
    'The reader''s address in lower case. Only operators may see it. A worker removes it some time after the decision.';
COMMENT ON COLUMN reports.at IS 'When the report was sent.';
COMMENT ON COLUMN reports.state IS 'waiting, dismissed or acted.';
COMMENT ON COLUMN reports.decided_at IS 'When an operator decided.';
COMMENT ON COLUMN reports.decided_by IS 'The operator''s name.';
COMMENT ON COLUMN reports.sentence IS 'The operator''s answer to the reader.';

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

-- There is no foreign key, because its check would slow every push that changes a posting. Each
-- statement that deletes a posting deletes its history and its versions.
CREATE TABLE posting_history (
    posting_id uuid NOT NULL,
    version bigint NOT NULL,
    step integer NOT NULL,
    at timestamptz NOT NULL,
    status text COLLATE "C" NOT NULL,
    reason text,
    actor text COLLATE "C" NOT NULL,
    PRIMARY KEY (posting_id, version, step)
);

COMMENT ON TABLE posting_history IS
    'The history of postings, in the order of the key. Rows never change.';
COMMENT ON COLUMN posting_history.posting_id IS 'The posting.';
COMMENT ON COLUMN posting_history.version IS 'The version that the commit wrote.';
COMMENT ON COLUMN posting_history.step IS 'The entry''s number in its commit, from 0.';
COMMENT ON COLUMN posting_history.at IS 'The time of the change.';
COMMENT ON COLUMN posting_history.status IS 'The status after the change.';
COMMENT ON COLUMN posting_history.reason IS 'The reason of the change, if any.';
COMMENT ON COLUMN posting_history.actor IS
    'The actor that caused the change: client:ID, catalogue:NAME, operator:NAME, operator, enricher, lifetime or source (its closing date).';

-- Like posting_history, without a foreign key.
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
    'The values that each change of a posting replaced. Old rows are deleted.';
COMMENT ON COLUMN posting_versions.posting_id IS 'The posting.';
COMMENT ON COLUMN posting_versions.version IS 'The version after the change.';
COMMENT ON COLUMN posting_versions.at IS 'The time of the change.';
COMMENT ON COLUMN posting_versions.actor IS 'The actor, as in posting_history.';
COMMENT ON COLUMN posting_versions.import IS
    'The import to which the change belongs: the holder of a catalogue''s lease, or a random id.';
COMMENT ON COLUMN posting_versions.before IS
    'The replaced values by name, with digests of the replaced texts.';
COMMENT ON COLUMN posting_versions.raw_description IS 'The replaced description.';
COMMENT ON COLUMN posting_versions.markdown IS 'The replaced text.';
COMMENT ON COLUMN posting_versions.redacted_markdown IS 'The replaced redacted text.';
COMMENT ON COLUMN posting_versions.redacted_title IS 'The replaced redacted title.';
COMMENT ON COLUMN posting_versions.latitude IS 'The replaced latitude.';
COMMENT ON COLUMN posting_versions.longitude IS 'The replaced longitude.';
COMMENT ON COLUMN posting_versions.findings IS 'The replaced findings of enrichment.';

CREATE INDEX posting_versions_by_age ON posting_versions (at);
CREATE INDEX posting_versions_by_import ON posting_versions (import, posting_id)
    WHERE import IS NOT NULL;

CREATE TABLE distinct_postings (
    one uuid NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    other uuid NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    PRIMARY KEY (one, other)
);

COMMENT ON TABLE distinct_postings IS
    'Pairs of postings that an operator marked as different openings.';
COMMENT ON COLUMN distinct_postings.one IS 'The posting with the lower id.';
COMMENT ON COLUMN distinct_postings.other IS 'The other posting.';

CREATE INDEX distinct_postings_by_other ON distinct_postings (other);

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
    'Used to find a posting''s duplicates. Outcomes of enrichment write rows for open postings. When a search finds a row of a posting that is no longer open, it deletes the row.';
COMMENT ON COLUMN posting_signatures.posting_id IS 'The posting.';
COMMENT ON COLUMN posting_signatures.band_1 IS
    'A hash of company, title, place and a part of the signature. Duplicates have at least one of the four bands in common.';
COMMENT ON COLUMN posting_signatures.band_2 IS 'The same with the second part.';
COMMENT ON COLUMN posting_signatures.band_3 IS 'The same with the third part.';
COMMENT ON COLUMN posting_signatures.band_4 IS 'The same with the fourth part.';
COMMENT ON COLUMN posting_signatures.signature IS
    'The MinHash signature of the description, 64 values of two bytes. The number of equal values shows how similar two texts are.';
COMMENT ON COLUMN posting_signatures.since IS
    'When the posting first had content that matches the current content.';
COMMENT ON COLUMN posting_signatures.first_signature IS
    'The signature of the description at that time. NULL if it is the current signature.';

-- The oldest postings of a band. A search examines a few of them.
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
-- The time of the last push changes often, and is not indexed. With free space, rows stay in place.
WITH (fillfactor = 50);

COMMENT ON TABLE clients IS 'OAuth clients, which may request tokens.';
COMMENT ON COLUMN clients.id IS 'The client_id.';
COMMENT ON COLUMN clients.name IS 'A name for people.';
COMMENT ON COLUMN clients.scopes IS 'The scopes that the client may request, each once.';
COMMENT ON COLUMN clients.created_at IS 'When the client was created.';
COMMENT ON COLUMN clients.revoked_at IS
    'When the client was revoked. Its tokens stop working then.';
COMMENT ON COLUMN clients.version IS
    'Increases with each commit that writes the row, except for activity.';
COMMENT ON COLUMN clients.prefixes IS
    'The prefixes of the identifiers that the client may read and write: a JSON array. Empty for the whole board.';
COMMENT ON COLUMN clients.requests_per_minute IS
    'How many requests a minute each process accepts from the client. NULL for no limit.';
COMMENT ON COLUMN clients.last_push_at IS
    'When the client last pushed, accepted or refused. Some seconds late.';
COMMENT ON COLUMN clients.expect_every_seconds IS
    'The longest time between two pushes that the operator expects. NULL if it follows from the client''s own rhythm.';
COMMENT ON COLUMN clients.visible IS
    'The number of approved postings that the client created, about a minute late.';
COMMENT ON COLUMN clients.tokens_from IS
    'Tokens issued before this time are refused. NULL accepts all.';

CREATE TABLE client_secrets (
    client_id uuid NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    digest bytea NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz,
    PRIMARY KEY (client_id, digest)
)
-- As in clients: frequent updates change no indexed column.
WITH (fillfactor = 50);

COMMENT ON TABLE client_secrets IS
    'The secrets of clients: the newest secret, which has no end, and the previous one.';
COMMENT ON COLUMN client_secrets.client_id IS 'The client.';
COMMENT ON COLUMN client_secrets.digest IS
    'SHA-256 of the secret. The secret has 256 random bits, and is not stored.';
COMMENT ON COLUMN client_secrets.created_at IS 'When the secret was created.';
COMMENT ON COLUMN client_secrets.expires_at IS
    'When the secret ends, if a newer one has replaced it.';
COMMENT ON COLUMN client_secrets.last_used_at IS
    'When a token was last issued for the secret. Some seconds late.';

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
-- As in clients: frequent updates change no indexed column.
WITH (fillfactor = 50);

COMMENT ON TABLE client_days IS
    'The activity of clients on their newest active days. Written every few seconds.';
COMMENT ON COLUMN client_days.client_id IS 'The client.';
COMMENT ON COLUMN client_days.date IS 'The day, in UTC.';
COMMENT ON COLUMN client_days.created IS 'The number of postings that the client created.';
COMMENT ON COLUMN client_days.updated IS
    'The number of pushes that updated a posting or its company.';
COMMENT ON COLUMN client_days.unchanged IS 'The number of pushes that changed nothing.';
COMMENT ON COLUMN client_days.expired IS 'The number of postings that the client expired.';
COMMENT ON COLUMN client_days.reopened IS 'The number of postings that the client reopened.';
COMMENT ON COLUMN client_days.refused IS 'The number of pushes that were refused.';
COMMENT ON COLUMN client_days.approved IS
    'The number of the client''s postings that were approved on this day.';
COMMENT ON COLUMN client_days.rejected IS
    'The number of the client''s postings that were rejected on this day.';
COMMENT ON COLUMN client_days.withdrawn IS
    'The number of the client''s postings that were rejected on this day after an approval.';
COMMENT ON COLUMN client_days.hours IS 'The hours of the day with pushes, as bits.';

CREATE TABLE client_tallies (
    client_id uuid NOT NULL,
    date date NOT NULL,
    name text NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (client_id, date, name),
    FOREIGN KEY (client_id, date) REFERENCES client_days (client_id, date) ON DELETE CASCADE
)
-- As in clients: frequent updates change no indexed column.
WITH (fillfactor = 50);

COMMENT ON TABLE client_tallies IS
    'How often a day''s pushes had each optional field, and how often postings that the client created got each remark.';
COMMENT ON COLUMN client_tallies.client_id IS 'The client.';
COMMENT ON COLUMN client_tallies.date IS 'The day, in UTC.';
COMMENT ON COLUMN client_tallies.name IS 'The name of the field, or the code of the remark.';
COMMENT ON COLUMN client_tallies.count IS 'The number on this day.';

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
COMMENT ON COLUMN client_refusals.id IS 'A UUIDv7, so ids sort by time.';
COMMENT ON COLUMN client_refusals.at IS 'When the push was refused.';
COMMENT ON COLUMN client_refusals.identifier IS 'The posting''s identifier, if it can be shown.';
COMMENT ON COLUMN client_refusals.status IS 'The status of the answer.';
COMMENT ON COLUMN client_refusals.message IS 'The message of the answer.';
COMMENT ON COLUMN client_refusals.rules IS
    'The codes of the broken rules: a JSON array. NULL if there are none.';
COMMENT ON COLUMN client_refusals.errors IS
    'The errors of the answer: a JSON object of lists by field. NULL if there are none.';
COMMENT ON COLUMN client_refusals.request_id IS 'The id of the request.';
COMMENT ON COLUMN client_refusals.count IS
    'How many lines of an import were refused for this reason. This row is the first line.';
COMMENT ON COLUMN client_refusals.others IS
    'The identifiers of some other lines: a JSON array. NULL if there are none.';

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
-- A running import updates its row every few seconds, and changes no indexed column. With free
-- space, the row stays on its page.
WITH (fillfactor = 50);

COMMENT ON TABLE catalogues IS
    'The catalogues of clients. A posting''s catalogue is in postings.catalogue_id.';
COMMENT ON COLUMN catalogues.id IS
    'A UUIDv7. A catalogue that was deleted and created again has a different id.';
COMMENT ON COLUMN catalogues.client_id IS 'The client that owns the catalogue.';
COMMENT ON COLUMN catalogues.name IS 'The client''s name for the catalogue.';
COMMENT ON COLUMN catalogues.created_at IS 'When the first import began.';
COMMENT ON COLUMN catalogues.holder IS
    'The import in progress: a random id. A commit may write for the import only while this id is here.';
COMMENT ON COLUMN catalogues.leased_until IS 'When the lease of the import ends unless renewed.';
COMMENT ON COLUMN catalogues.last_import IS
    'The last finished import, by the holder of its lease. NULL before the first.';
COMMENT ON COLUMN catalogues.counted_import IS
    'The last import that was complete and not held back, by the holder of its lease. Its misses count.';
COMMENT ON COLUMN catalogues.expiring_import IS
    'The last import that expired or changed postings, by the holder of its lease. NULL after its undo.';
COMMENT ON COLUMN catalogues.held_import IS
    'The last complete import, by the holder of its lease, if it was held back and not released.';
COMMENT ON COLUMN catalogues.held_before IS
    'held_import during the next import, which may name held-back postings. A release then keeps them.';

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
    'The last finished imports of catalogues, with their results.';
COMMENT ON COLUMN catalogue_imports.catalogue_id IS 'The catalogue.';
COMMENT ON COLUMN catalogue_imports.import IS 'The holder of the import''s lease.';
COMMENT ON COLUMN catalogue_imports.started_at IS 'When the import began.';
COMMENT ON COLUMN catalogue_imports.finished_at IS 'When the import ended.';
COMMENT ON COLUMN catalogue_imports.lines IS 'The number of lines that were not blank.';
COMMENT ON COLUMN catalogue_imports.created IS 'The number of lines that created a posting.';
COMMENT ON COLUMN catalogue_imports.updated IS
    'The number of lines that changed a posting or its company.';
COMMENT ON COLUMN catalogue_imports.unchanged IS 'The number of lines that changed nothing.';
COMMENT ON COLUMN catalogue_imports.expired IS 'The number of lines that expired a posting.';
COMMENT ON COLUMN catalogue_imports.reopened IS 'The number of lines that reopened a posting.';
COMMENT ON COLUMN catalogue_imports.refused IS 'The number of lines that were refused.';
COMMENT ON COLUMN catalogue_imports.failed IS 'The number of lines for which the service failed.';
COMMENT ON COLUMN catalogue_imports.unattributed IS
    'The number of lines without an answer whose posting is unknown.';
COMMENT ON COLUMN catalogue_imports.notices IS
    'The notices of the lines: a JSON object of numbers by code.';
COMMENT ON COLUMN catalogue_imports.changes IS
    'How the import changed existing postings: a JSON object. NULL if it is incomplete.';
COMMENT ON COLUMN catalogue_imports.missing IS
    'The number of open postings that no line named. NULL if the import ended before counting them.';
COMMENT ON COLUMN catalogue_imports.missing_expired IS 'How many of the missing postings expired.';
COMMENT ON COLUMN catalogue_imports.held_because IS
    'Why the missing postings were held back: share, empty or unattributed. A release sets it to NULL.';
COMMENT ON COLUMN catalogue_imports.is_released IS
    'Whether the missing postings were held back and then released.';
COMMENT ON COLUMN catalogue_imports.is_complete IS
    'Whether every line had an answer, and the body ended properly.';

CREATE TABLE missed_postings (
    import uuid NOT NULL,
    posting_id uuid NOT NULL,
    state text COLLATE "C" NOT NULL,
    misses bigint,
    PRIMARY KEY (import, posting_id),
    CONSTRAINT open_ones_are_counted CHECK ((state = 'open') = (misses IS NOT NULL))
);

COMMENT ON TABLE missed_postings IS
    'Open postings that an import of their catalogue did not name, and how each was handled. Rows are deleted when catalogues no longer names the import.';
COMMENT ON COLUMN missed_postings.import IS
    'The import, by the holder of its lease.';
COMMENT ON COLUMN missed_postings.posting_id IS
    'The posting. There is no foreign key, because the posting may be deleted.';
COMMENT ON COLUMN missed_postings.state IS
    'open, expired or held, as the import decided. An undo turns expired into reopened or left. A release turns held into expired or kept. For a changed posting, an undo stores restored or unrestored, and a later release turns this into undone.';
COMMENT ON COLUMN missed_postings.misses IS
    'For an open posting, how many consecutive imports have missed it.';

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
-- Few updates change an indexed column. With free space, the others stay on their page.
WITH (fillfactor = 80);

COMMENT ON TABLE subscribers IS
    'What is known about an e-mail address: the membership system''s report of the person, and the state at the e-mail provider. A row is deleted only if the person is erased or has another address.';
COMMENT ON COLUMN subscribers.id IS 'The id in this service.';
COMMENT ON COLUMN subscribers.version IS
    'Increases with each commit that writes the row. A commit must name the version that it read.';
COMMENT ON COLUMN subscribers.email IS
    'The address, trimmed and in lower case, compared byte for byte. An address cannot have two rows, so a concurrent report and suppression write the same row.';
COMMENT ON COLUMN subscribers.reported_at IS
    'When the membership system first reported the person. Until then, the row only stores what the provider reported about the address.';
COMMENT ON COLUMN subscribers.name IS 'As last reported.';
COMMENT ON COLUMN subscribers.country IS 'The name of the country, as last reported.';
COMMENT ON COLUMN subscribers.membership_plan_category IS
    'The category of the membership: individual or team. NULL without a membership.';
COMMENT ON COLUMN subscribers.membership_status IS
    'The status of the membership: active, expired or canceled. NULL without a membership.';
COMMENT ON COLUMN subscribers.membership_expires_at IS
    'Until when the membership is paid for, if known.';
COMMENT ON COLUMN subscribers.status IS
    'Whether e-mails may be sent to the person: active, removed, bounced, unsubscribed or spam_reported. The strongest status ever seen stays.';
COMMENT ON COLUMN subscribers.suppressed_by IS
    'The source of a suppression: webhook, answer, move, import, reconciliation, operator, link or erasure (the stored suppression of an erased person).';
COMMENT ON COLUMN subscribers.suppressed_in IS
    'The account that showed the suppression, if known: old or new.';
COMMENT ON COLUMN subscribers.suppressed_at IS 'The time of the suppression.';
COMMENT ON COLUMN subscribers.suppressed_because IS
    'The reason: an operator''s text, or details of the delivery.';
COMMENT ON COLUMN subscribers.reinstated_at IS
    'When an operator last reinstated the person. Earlier reports of the provider do not count.';
COMMENT ON COLUMN subscribers.departure IS
    'Why the address must be removed from both accounts: moved (the person has another address) or erased (the person is to be erased). NULL if it stays.';
COMMENT ON COLUMN subscribers.moved_to IS
    'For moved only: the id of the row with the person''s other address.';
COMMENT ON COLUMN subscribers.old_id IS 'The person''s id in the old account, if known.';
COMMENT ON COLUMN subscribers.old_is_quiet IS
    'Whether the old account certainly sends nothing to a suppressed person.';
COMMENT ON COLUMN subscribers.old_is_withdrawn IS
    'Whether this service has unsubscribed the person in the old account, or was about to.';
COMMENT ON COLUMN subscribers.new_id IS 'The person''s id in the new account, if known.';
COMMENT ON COLUMN subscribers.new_is_quiet IS
    'Whether the new account certainly sends nothing to a suppressed person.';
COMMENT ON COLUMN subscribers.new_is_withdrawn IS
    'Whether this service has unsubscribed the person in the new account, or was about to.';
COMMENT ON COLUMN subscribers.reported_as_of IS
    'The time that the newest report with a time gives for its data.';
COMMENT ON COLUMN subscribers.migrated_at IS
    'When the person moved to the provider''s new account. NULL in the old account.';
COMMENT ON COLUMN subscribers.migration_source IS
    'What caused the move: launch, email_confirmation or manual.';
COMMENT ON COLUMN subscribers.migration_arrived IS
    'Whether the provider''s accounts already show the move.';
COMMENT ON COLUMN subscribers.migration_shown_in IS
    'The accounts that had the person during the move, under this or an earlier address: old (found there), new (joined its group) or both.';
COMMENT ON COLUMN subscribers.migration_token IS
    'Allows the holder of an e-mailed link to move. A secret.';
COMMENT ON COLUMN subscribers.synced_digest IS
    'SHA-256 of the data that the person''s account certainly has. NULL while unknown.';
COMMENT ON COLUMN subscribers.synced_at IS
    'When an account last got new data, or was found to have it.';
COMMENT ON COLUMN subscribers.updated_at IS 'When the row was last written.';

-- Subscribers in the old account, in the order of the list. A query must repeat both conditions to
-- use this index. (The list of all subscribers uses the index of the address.)
CREATE INDEX subscribers_unmigrated ON subscribers (email)
    WHERE migrated_at IS NULL AND reported_at IS NOT NULL;

-- Suppressed subscribers, reported or not, in the order of the list. A query must repeat the
-- condition to use this index.
CREATE INDEX subscribers_suppressed ON subscribers (email) WHERE status <> 'active';

CREATE TABLE account_leases (
    account text COLLATE "C" NOT NULL PRIMARY KEY,
    holder uuid NOT NULL,
    ends_at timestamptz NOT NULL
);

COMMENT ON TABLE account_leases IS
    'The process that may call an account of the provider. There is only one at a time, so that the account''s request limit is kept.';
COMMENT ON COLUMN account_leases.account IS 'The account: old or new.';
COMMENT ON COLUMN account_leases.holder IS 'A random id of the process.';
COMMENT ON COLUMN account_leases.ends_at IS
    'When the lease ends unless renewed. So a process that died does not hold it for long.';

CREATE TABLE account_states (
    account text COLLATE "C" NOT NULL PRIMARY KEY,
    paused_until timestamptz,
    pause_reason text,
    reconciled_at timestamptz
);

COMMENT ON TABLE account_states IS
    'The state of each of the provider''s accounts, except its lease. Pauses outlast processes.';
COMMENT ON COLUMN account_states.account IS 'The account: old or new.';
COMMENT ON COLUMN account_states.paused_until IS 'Until when nothing is sent to the account.';
COMMENT ON COLUMN account_states.pause_reason IS 'Why nothing is sent to the account.';
COMMENT ON COLUMN account_states.reconciled_at IS 'When the account''s whole list was last read.';

CREATE TABLE erased_suppressions (
    hash bytea NOT NULL PRIMARY KEY,
    status text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL
);

COMMENT ON TABLE erased_suppressions IS
    'Suppressed people who were erased. They must not get e-mails again.';
COMMENT ON COLUMN erased_suppressions.hash IS
    'HMAC-SHA-256 of the address, with the key of erasure_keys.';
COMMENT ON COLUMN erased_suppressions.status IS
    'The person''s status: removed, bounced, unsubscribed or spam_reported.';
COMMENT ON COLUMN erased_suppressions.at IS 'When the person was erased.';

CREATE TABLE erasure_keys (
    singleton boolean NOT NULL PRIMARY KEY CHECK (singleton),
    key bytea NOT NULL
);

COMMENT ON TABLE erasure_keys IS
    'The key of the hashes in erased_suppressions, which is created once.';
COMMENT ON COLUMN erasure_keys.singleton IS 'Always true, because there is one row.';
COMMENT ON COLUMN erasure_keys.key IS '256 bits, 244 of them random. A secret.';

INSERT INTO erasure_keys (singleton, key)
    SELECT true, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());

-- The outbox: work that must happen outside the database, added by the commit that requires it.
--
-- A row is a key without data. Its handler loads the current state, so an effect has one row.

CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- There is no list of kinds, so that a new kind needs no migration.
    kind text COLLATE "C" NOT NULL,
    -- There is no foreign key, because the table depends on the kind.
    subject uuid NOT NULL,
    -- There is no list of lanes, either.
    lane text COLLATE "C",
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
-- Every row is soon updated and deleted. Dead rows would delay every claim, so they are removed
-- after a fixed number, whatever the size of the table.
WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE outbox IS
    'The effects that must happen outside the database, with one row each. Finished tasks are deleted.';
COMMENT ON COLUMN outbox.id IS 'In the order of writes.';
COMMENT ON COLUMN outbox.kind IS 'The kind of effect, as its module declares it.';
COMMENT ON COLUMN outbox.subject IS
    'The id of a posting, a subscriber or a company, depending on the kind.';
COMMENT ON COLUMN outbox.lane IS
    'The lane, if the kind has several: for ''sync'', the provider''s account. The latest request sets it, but a bulk request does not move a waiting task. Lanes that end with -bulk wait behind all others.';
COMMENT ON COLUMN outbox.generation IS
    'Counts the requests for this effect. If a task is requested again after its claim, it becomes due again when it is finished.';
COMMENT ON COLUMN outbox.attempts IS
    'How often the task was claimed since it was last started over.';
COMMENT ON COLUMN outbox.next_at IS
    'When the task is due, or when its lease ends. So a task whose worker died becomes due by itself.';
COMMENT ON COLUMN outbox.lease IS 'The claim under which a worker handles the task.';
COMMENT ON COLUMN outbox.lost IS
    'How many consecutive claims ended without a report. Their workers died, perhaps because of this task.';
COMMENT ON COLUMN outbox.first_failed_at IS
    'The first failed attempt since the task was last started over.';
COMMENT ON COLUMN outbox.last_error IS 'The last error.';
COMMENT ON COLUMN outbox.dead_at IS
    'When the task became a dead letter. It stays until an operator revives it or a commit requests it again.';
COMMENT ON COLUMN outbox.created_at IS 'When the row was added.';
COMMENT ON COLUMN outbox.trace_parent IS
    'The task''s trace, as in the header traceparent. NULL without a trace.';

-- Each effect has one row.
CREATE UNIQUE INDEX outbox_effects ON outbox (kind, subject);

-- Workers find due tasks of a queue, and tasks whose lease has expired, longest due first. A query
-- must repeat the expression and conditions literally to use these indexes. A task is in at most
-- one of them, so a claim adds one entry.
CREATE INDEX outbox_due ON outbox (kind, coalesce(lane, ''), next_at, id)
    WHERE dead_at IS NULL AND lease IS NULL;
CREATE INDEX outbox_leased ON outbox (kind, coalesce(lane, ''), next_at, id)
    WHERE lease IS NOT NULL;

-- Operators list dead letters.
CREATE INDEX outbox_dead ON outbox (id) WHERE dead_at IS NOT NULL;

-- Lets a single statement be a whole commit: if its condition is false, the statement fails and
-- writes nothing.
CREATE FUNCTION must_hold(condition boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF condition IS NOT TRUE THEN
        RAISE EXCEPTION 'the state moved meanwhile' USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN true;
END
$$;

COMMENT ON FUNCTION must_hold (boolean) IS
    'Fails with 40001 unless the condition is true. The caller must then read again.';

-- The event log, which readers follow with cursors.

CREATE TABLE events (
    commit_seq bigint NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL,
    -- There is no list of names, so that a new name needs no migration.
    name text COLLATE "C" NOT NULL,
    -- There is no foreign key, because an event stays true when its subject is deleted.
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
    -- The order of the log. A second index of all events would cost commits more than it would
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
    'Events. The commit that caused an event adds it. Only an erasure changes it, and removes the reason. Old rows are deleted.';
COMMENT ON INDEX events_of_companies IS
    'Webhooks skip an event of a company that has a newer event.';
COMMENT ON COLUMN events.commit_seq IS
    'The id of the transaction that wrote the event, or of a later one that had already ended, plus event_log.transaction_offset. The log is in the order of (commit_seq, number).';
COMMENT ON COLUMN events.number IS 'In the order of writes.';
COMMENT ON COLUMN events.at IS 'When the event occurred.';
COMMENT ON COLUMN events.name IS 'The name of the event, as its module declares it.';
COMMENT ON COLUMN events.subject IS
    'The UUID of the subject: a posting, a company or a subscriber, for example.';
COMMENT ON COLUMN events.source_identifier IS 'For a posting: its id in its source.';
COMMENT ON COLUMN events.version IS 'For a posting: the version that the commit wrote.';
COMMENT ON COLUMN events.status IS
    'For a posting: the status after the commit (PendingEnrichment, approved, rejected or expired).';
COMMENT ON COLUMN events.status_reason IS 'For a posting: the reason of the status, if any.';
COMMENT ON COLUMN events.company_name IS 'For a company: the name after the commit.';
COMMENT ON COLUMN events.company_website IS 'For a company: the website.';
COMMENT ON COLUMN events.company_logo_path IS 'For a company: the path to the logo, if any.';
COMMENT ON COLUMN events.attention IS 'For a matter that needs attention: the item, a JSON object.';
COMMENT ON COLUMN events.trace_parent IS
    'The trace of the event''s cause, as in the header traceparent. NULL without a trace.';
COMMENT ON COLUMN events.company_updated_by IS 'For a company: the actor that changed it.';
COMMENT ON COLUMN events.company_merged_into IS
    'For a company: the company into which it was merged.';
COMMENT ON COLUMN events.decision_code IS 'For a decision about a posting: its code.';
COMMENT ON COLUMN events.decision_ground IS
    'For a decision about a posting: terms or law. NULL for an approval.';
COMMENT ON COLUMN events.decision_by_notice IS
    'For a decision about a posting: whether a reader''s report led to it.';
COMMENT ON COLUMN events.reported_posting IS
    'For a reader''s report: the posting. The event has the posting''s identifier, the status acted or dismissed, and as status_reason the answer to the reader.';

CREATE TABLE event_log (
    singleton boolean NOT NULL PRIMARY KEY CHECK (singleton),
    transaction_offset bigint NOT NULL,
    deleted_in bigint NOT NULL,
    deleted_number bigint NOT NULL
);

COMMENT ON TABLE event_log IS 'The state of the event log as a whole.';
COMMENT ON COLUMN event_log.singleton IS 'Always true, because there is one row.';
COMMENT ON COLUMN event_log.transaction_offset IS
    'Added to ids of transactions. When a dump is restored in a new server, the ids are low. The offset is then raised, so that new events come after old ones.';
COMMENT ON COLUMN event_log.deleted_in IS
    'The commit_seq of the last deleted event. A reader with an earlier cursor has missed events.';
COMMENT ON COLUMN event_log.deleted_number IS 'The number of the last deleted event.';

INSERT INTO event_log (singleton, transaction_offset, deleted_in, deleted_number)
    VALUES (true, 0, 0, 0);

-- In a volatile function, an expression gets a new snapshot, not that of the calling statement.
CREATE FUNCTION event_place() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN greatest(
        pg_current_xact_id()::text::bigint,
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1
    );
END
$$;

COMMENT ON FUNCTION event_place () IS
    'Returns the id of the current transaction, or of a later one that has ended. The place is never below that of a commit for which the current transaction had to wait. The offset is not included.';

-- Webhooks: receivers of events, the progress of deliveries to each, and the last attempts.

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
    -- The key itself, because each delivery is signed with it.
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
-- Each round of deliveries updates a row two or three times, and changes no indexed column. With
-- free space, the row stays on its page.
WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE webhook_endpoints IS
    'Receivers of events as their owners registered them, and the progress of deliveries to each.';
COMMENT ON COLUMN webhook_endpoints.id IS 'A UUIDv7, so ids sort by age.';
COMMENT ON COLUMN webhook_endpoints.owner IS 'client:ID, or operator.';
COMMENT ON COLUMN webhook_endpoints.created_at IS 'When the endpoint was registered.';
COMMENT ON COLUMN webhook_endpoints.version IS
    'Increases with each change by the owner, each disabling, and each resent event.';
COMMENT ON COLUMN webhook_endpoints.url IS 'The address of the receiver.';
COMMENT ON COLUMN webhook_endpoints.names IS
    'The names of the wanted events: a JSON array. NULL for all public events.';
COMMENT ON COLUMN webhook_endpoints.prefixes IS
    'The prefixes of the identifiers of postings whose events the endpoint may get: a JSON array. Empty for the whole board.';
COMMENT ON COLUMN webhook_endpoints.include_posting IS
    'Whether events of a posting include the posting as it is at delivery.';
COMMENT ON COLUMN webhook_endpoints.description IS 'The owner''s description.';
COMMENT ON COLUMN webhook_endpoints.state IS
    'Whether events are delivered: active, paused (by the owner) or disabled (deliveries failed for too long, or the receiver wants no more).';
COMMENT ON COLUMN webhook_endpoints.state_reason IS 'Why the endpoint is disabled.';
COMMENT ON COLUMN webhook_endpoints.secret IS
    'A secret: the key that signs deliveries. A reader of this column can sign in the service''s name.';
COMMENT ON COLUMN webhook_endpoints.previous_secret IS
    'A secret: the previous key, which also signs for a while.';
COMMENT ON COLUMN webhook_endpoints.previous_secret_until IS 'Until when the previous key signs.';
COMMENT ON COLUMN webhook_endpoints.updated_at IS 'When the current version was written.';
COMMENT ON COLUMN webhook_endpoints.commit_seq IS
    'The place in the event log up to which every event was delivered, waits, or was skipped: its commit_seq.';
COMMENT ON COLUMN webhook_endpoints.number IS 'The number of that place.';
COMMENT ON COLUMN webhook_endpoints.last_success_at IS 'When a delivery last succeeded.';
COMMENT ON COLUMN webhook_endpoints.failing_since IS 'The first failure since the last success.';
COMMENT ON COLUMN webhook_endpoints.silent_rounds IS
    'The number of consecutive rounds without an answer.';
COMMENT ON COLUMN webhook_endpoints.open_until IS
    'Until when the circuit is open, or until when the receiver requested a pause.';
COMMENT ON COLUMN webhook_endpoints.attempts IS
    'The number of recorded attempts, which numbers them.';
COMMENT ON COLUMN webhook_endpoints.holder IS
    'The worker that delivers to the endpoint: a random id.';
COMMENT ON COLUMN webhook_endpoints.leased_until IS
    'The end of the lease. Without a holder, when the endpoint may be leased again.';

CREATE INDEX webhook_endpoints_by_owner ON webhook_endpoints (owner, id);

CREATE TABLE webhook_waiting (
    endpoint uuid NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    subject uuid NOT NULL,
    -- There is no foreign key, because old events are deleted.
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
    'Subjects whose events wait for an endpoint, because the last attempt failed or there were too many events for a round. Settled subjects are deleted.';
COMMENT ON COLUMN webhook_waiting.endpoint IS 'The endpoint.';
COMMENT ON COLUMN webhook_waiting.subject IS 'The UUID of the events'' subject.';
COMMENT ON COLUMN webhook_waiting.commit_seq IS
    'The place of the next event in the log: its commit_seq.';
COMMENT ON COLUMN webhook_waiting.number IS 'The number of the next event.';
COMMENT ON COLUMN webhook_waiting.name IS 'The name of the next event.';
COMMENT ON COLUMN webhook_waiting.attempts IS 'The number of attempts at the next event.';
COMMENT ON COLUMN webhook_waiting.next_at IS 'When the next attempt is due.';
COMMENT ON COLUMN webhook_waiting.last_error IS 'Why the last attempt failed.';
COMMENT ON COLUMN webhook_waiting.is_silent IS 'Whether the last attempt was not answered.';
COMMENT ON COLUMN webhook_waiting.later IS
    'The events that wait after the next one: a JSON array of texts, each with a cursor, a space and a name.';
COMMENT ON COLUMN webhook_waiting.read_to IS
    'The waiting events up to this cursor are listed in later. Events after it are in the log. NULL if all events up to the endpoint''s place are listed.';

-- Finds due events, the longest due first.
CREATE INDEX webhook_waiting_due ON webhook_waiting (endpoint, next_at, commit_seq, number);

-- Finds events that become due when a silent endpoint answers again.
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
-- A new attempt replaces the oldest, and changes no column of the only index.
WITH (fillfactor = 50);

COMMENT ON TABLE webhook_deliveries IS
    'The newest attempts at each endpoint. Their number is fixed, so a new attempt replaces the oldest.';
COMMENT ON COLUMN webhook_deliveries.endpoint IS 'The endpoint.';
COMMENT ON COLUMN webhook_deliveries.slot IS 'The position modulo the number of kept attempts.';
COMMENT ON COLUMN webhook_deliveries.position IS 'The attempt''s number for this endpoint.';
COMMENT ON COLUMN webhook_deliveries.at IS 'When the attempt ended.';
COMMENT ON COLUMN webhook_deliveries.commit_seq IS 'The event''s place in the log: its commit_seq.';
COMMENT ON COLUMN webhook_deliveries.number IS 'The number of the event.';
COMMENT ON COLUMN webhook_deliveries.name IS 'The name of the event.';
COMMENT ON COLUMN webhook_deliveries.attempt IS 'The attempt''s number for this event.';
COMMENT ON COLUMN webhook_deliveries.status IS 'The status of the answer. NULL without an answer.';
COMMENT ON COLUMN webhook_deliveries.duration_ms IS
    'The time until the answer, in milliseconds.';
COMMENT ON COLUMN webhook_deliveries.error IS 'Why the attempt failed.';

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
    'What needs the attention of an operator or a client, as found by the last check.';
COMMENT ON COLUMN attention_items.id IS 'Derived from the kind and its subject.';
COMMENT ON COLUMN attention_items.kind IS 'The kind of matter.';
COMMENT ON COLUMN attention_items.subject IS 'The name of the subject.';
COMMENT ON COLUMN attention_items.client_id IS
    'The client concerned. There is no foreign key: the next check ends the item.';
COMMENT ON COLUMN attention_items.since IS 'When the problem began.';
COMMENT ON COLUMN attention_items.sentence IS 'The problem, and what to do about it.';
COMMENT ON COLUMN attention_items.page IS 'The path of the console''s page about the item.';
COMMENT ON COLUMN attention_items.is_of_board IS
    'Whether the item concerns postings, so that clients without prefixes may see it.';

CREATE TABLE attention_checks (
    singleton boolean NOT NULL PRIMARY KEY CHECK (singleton),
    version bigint NOT NULL,
    at timestamptz NOT NULL
)
WITH (fillfactor = 50);

COMMENT ON TABLE attention_checks IS
    'The last check for what needs attention, in one row. Without a row, there was none.';
COMMENT ON COLUMN attention_checks.singleton IS 'Always true, because there is one row.';
COMMENT ON COLUMN attention_checks.version IS
    'Counts the checks. A check must name the previous one, so that it is not based on outdated items.';
COMMENT ON COLUMN attention_checks.at IS 'The time of the check.';

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
    'The actions of operators. Each entry is written in the same commit as its action. People appear only as ids, so no address is stored here.';
COMMENT ON COLUMN audit.id IS 'The id of the entry.';
COMMENT ON COLUMN audit.run IS 'The id of the command, which may act on many subjects.';
COMMENT ON COLUMN audit.at IS 'When the action was done or begun.';
COMMENT ON COLUMN audit.operator IS
    'The name of the operator, or client:ID for a person who signs in to a client''s pages.';
COMMENT ON COLUMN audit.action IS
    'The action, for example subscribers.suppress. There is no list of actions, so that a new one needs no migration.';
COMMENT ON COLUMN audit.subject IS
    'The subject of the action, for example a subscriber''s id or a posting''s source identifier.';
COMMENT ON COLUMN audit.details IS 'More details: a JSON object.';

-- The audit is read as a whole, by operator, by action, or by subject. It grows slowly.
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
    'Links that sign in once, and sessions. Both let a browser act for an operator or a client.';
COMMENT ON COLUMN sign_in_tokens.digest IS
    'SHA-256 of the token. The token has 256 random bits, and is not stored.';
COMMENT ON COLUMN sign_in_tokens.kind IS 'link or session.';
COMMENT ON COLUMN sign_in_tokens.holder IS 'The principal: operator:NAME or client:ID.';
COMMENT ON COLUMN sign_in_tokens.scopes IS
    'The scopes, which count only while the client has them. Empty for an operator.';
COMMENT ON COLUMN sign_in_tokens.created_at IS 'When the token was created.';
COMMENT ON COLUMN sign_in_tokens.expires_at IS
    'When the token ends. A worker deletes it some time later.';

-- Finds tokens that a worker deletes.
CREATE INDEX sign_in_tokens_by_end ON sign_in_tokens (expires_at);

-- Finds a holder's newest tokens, which are kept.
CREATE INDEX sign_in_tokens_by_holder ON sign_in_tokens (holder, kind, created_at);

-- A row begins as the reservation of a worker that asks the model, and later contains the draft.
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
-- Renewing a reservation changes no indexed column. With free space, the row stays on its page.
WITH (fillfactor = 80);

COMMENT ON TABLE drafts IS
    'Drafts of language models, and reservations of workers that ask a model. Drafts unused for long are deleted.';
COMMENT ON COLUMN drafts.key IS
    'SHA-256 of everything on which the draft depends: the posting''s content, the model and its instructions.';
COMMENT ON COLUMN drafts.holder IS
    'The worker that asks the model: a random id. NULL with a draft.';
COMMENT ON COLUMN drafts.reserved_until IS
    'When the reservation ends unless renewed. So others do not wait long if a process died. NULL with a draft.';
COMMENT ON COLUMN drafts.used_at IS
    'When the draft was last stored or used, exact to about a day. Without a draft, when it was first requested.';
COMMENT ON COLUMN drafts.draft IS
    'The draft as the model''s adapter writes it. NULL while reserved.';
COMMENT ON COLUMN drafts.posting_id IS
    'The posting for which the draft was stored; erasing the posting deletes the draft. There is no foreign key: the draft of an expired posting stays for other postings with the same content.';

-- Finds drafts that have been unused longest.
CREATE INDEX drafts_used ON drafts (used_at);
CREATE INDEX drafts_by_posting ON drafts (posting_id) WHERE draft IS NOT NULL;

-- Lets programs of the previous version continue after a newer program has migrated the schema.

CREATE TABLE schema_compatibility (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    needs text COLLATE "C" NOT NULL CHECK (needs <> '')
);

COMMENT ON TABLE schema_compatibility IS
    'The programs that can use this schema, in one row. A migration that removes something that older programs use must change this row.';
COMMENT ON COLUMN schema_compatibility.singleton IS 'Always true, because there is one row.';
COMMENT ON COLUMN schema_compatibility.needs IS
    'The version of a migration. A program that knows this migration can use the schema, even after later migrations that the program does not know.';

INSERT INTO schema_compatibility (needs) VALUES ('20261124000000');
