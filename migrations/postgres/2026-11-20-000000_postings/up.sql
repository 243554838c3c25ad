-- Companies, postings, the texts that enrichment made of them, and their history.
--
-- The checks hold what the program relies on when it reads a row back; the rules about what may
-- become of a posting are the program's. Texts that are compared and never shown in order are
-- COLLATE "C": byte for byte, whatever locale the database has.

CREATE TABLE companies (
    id uuid NOT NULL PRIMARY KEY,
    name text NOT NULL,
    website text COLLATE "C" NOT NULL CHECK (website <> ''),
    logo_path text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
)
-- No index has a column that an update changes, so with space left an update stays on its page.
WITH (fillfactor = 80);

COMMENT ON TABLE companies IS 'Upserted with the postings that name them; never deleted.';
COMMENT ON COLUMN companies.id IS 'The UUIDv5 of the website: one website cannot have two rows.';
COMMENT ON COLUMN companies.name IS 'As last pushed.';
COMMENT ON COLUMN companies.website IS 'In the normal form that companies are matched by.';
COMMENT ON COLUMN companies.logo_path IS 'Path to the logo.';
COMMENT ON COLUMN companies.created_at IS 'When it was first pushed.';
COMMENT ON COLUMN companies.updated_at IS 'When it was last written.';

CREATE TABLE postings (
    id uuid NOT NULL PRIMARY KEY,
    source_identifier text COLLATE "C" NOT NULL UNIQUE CHECK (source_identifier <> ''),
    version bigint NOT NULL CHECK (version >= 1),
    status text COLLATE "C" NOT NULL
        CHECK (status IN ('PendingEnrichment', 'approved', 'rejected', 'expired')),
    status_reason text,
    moderated boolean NOT NULL,
    -- Without an index: nothing asks for a company's postings, and companies are never deleted.
    company_id uuid NOT NULL REFERENCES companies (id),
    enriched_hash bytea CHECK (octet_length(enriched_hash) = 32),
    approved_hash bytea CHECK (octet_length(approved_hash) = 32),
    is_featured boolean NOT NULL,
    published_at timestamptz,
    expire_at timestamptz,
    expired_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    title text NOT NULL,
    employment_types text[] COLLATE "C" NOT NULL
        CHECK (employment_types <@ ARRAY['full-time', 'part-time', 'contract', 'internship']),
    location_types text[] COLLATE "C" NOT NULL
        CHECK (location_types <@ ARRAY['remote', 'on-site', 'hybrid', 'other']),
    location_country_code text COLLATE "C" CHECK (location_country_code ~ '^[A-Z]{2}$'),
    location_city text,
    salary_min bigint CHECK (salary_min >= 0),
    salary_max bigint CHECK (salary_max >= 0),
    salary_currency_code text COLLATE "C" CHECK (salary_currency_code ~ '^[A-Z]{3}$'),
    salary_period text COLLATE "C"
        CHECK (salary_period IN ('hourly', 'weekly', 'monthly', 'annually')),
    application_email text,
    application_url text,
    expiration_reason text,
    metadata json COMPRESSION lz4 CHECK (json_typeof(metadata) = 'object'),
    raw_description text COMPRESSION lz4 NOT NULL
);
-- With the default fillfactor: nearly every update changes updated_at, which two indexes have,
-- so space left on the page would save nothing.

COMMENT ON TABLE postings IS 'Job postings as pushed, and where they stand.';
COMMENT ON COLUMN postings.id IS 'The id in this service.';
COMMENT ON COLUMN postings.source_identifier IS
    'The id in the world it comes from, compared byte for byte.';
COMMENT ON COLUMN postings.version IS
    'Counts the commits that wrote the row; each of them names the version it has read.';
COMMENT ON COLUMN postings.status IS 'PendingEnrichment, approved, rejected or expired.';
COMMENT ON COLUMN postings.status_reason IS 'The reason of the newest change of status.';
COMMENT ON COLUMN postings.moderated IS
    'Whether the status is an operator''s verdict; a rejection no enricher overrules.';
COMMENT ON COLUMN postings.company_id IS 'Whose posting it is.';
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
COMMENT ON COLUMN postings.metadata IS
    'A JSON object; json and not jsonb, so that order, repeats and spelling stay as sent.';
COMMENT ON COLUMN postings.raw_description IS 'HTML, as sent.';

-- The two orders of the list: all postings, and those of one status.
CREATE INDEX postings_by_update ON postings (updated_at, id);
CREATE INDEX postings_by_status ON postings (status, updated_at, id);

-- What the worker that ends lifetimes asks for. A query uses it only if it repeats the two
-- status names literally.
CREATE INDEX postings_by_end ON postings (expire_at, source_identifier)
    WHERE expire_at IS NOT NULL AND status IN ('PendingEnrichment', 'approved');

CREATE TABLE posting_texts (
    posting_id uuid NOT NULL PRIMARY KEY REFERENCES postings (id) ON DELETE CASCADE,
    latitude double precision CHECK (latitude BETWEEN -90 AND 90),
    longitude double precision CHECK (longitude BETWEEN -180 AND 180),
    markdown text COMPRESSION lz4 NOT NULL,
    redacted_markdown text COMPRESSION lz4 NOT NULL,
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

CREATE TABLE posting_history (
    posting_id uuid NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    version bigint NOT NULL,
    step integer NOT NULL CHECK (step >= 0),
    at timestamptz NOT NULL,
    status text COLLATE "C" NOT NULL
        CHECK (status IN ('PendingEnrichment', 'approved', 'rejected', 'expired')),
    reason text,
    actor text COLLATE "C" NOT NULL
        CHECK (actor IN ('enricher', 'operator', 'lifetime') OR actor LIKE 'client:%'),
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
    'Who brought it about: client:ID, enricher, operator or lifetime.';
