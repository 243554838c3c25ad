-- Companies, postings, the texts that enrichment made of them, and their history.
--
-- In every table: ids are the 16 bytes of a UUID, and times are whole microseconds since
-- 1970-01-01T00:00:00Z. The checks hold what the program relies on when it reads a row back;
-- the rules about what may become of a posting are the program's.

-- Upserted with the postings that name them.
CREATE TABLE companies (
    -- The UUIDv5 of the website: one website cannot have two rows.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name TEXT NOT NULL,
    -- In the normal form that companies are matched by.
    website TEXT NOT NULL,
    logo_path TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Columns that are read without the others come first, large ones last: SQLite reads a row
-- from its beginning and follows it onto further pages only as far as it must.
CREATE TABLE postings (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- The posting's id in the world it comes from, compared byte for byte.
    source_identifier TEXT NOT NULL COLLATE BINARY UNIQUE CHECK (source_identifier <> ''),
    -- Counts the commits that wrote the row; each of them names the version it has read.
    version INTEGER NOT NULL CHECK (version >= 1),
    status TEXT NOT NULL
        CHECK (status IN ('PendingEnrichment', 'approved', 'rejected', 'expired')),
    -- The reason of the newest change of status.
    status_reason TEXT,
    -- 1: the status is an operator's verdict; a rejection no enricher overrules.
    moderated INTEGER NOT NULL CHECK (moderated IN (0, 1)),
    -- Without an index: nothing asks for a company's postings, and companies are never deleted.
    company_id BLOB NOT NULL REFERENCES companies (id),
    -- SHA-256 of the content that the last enrichment outcome was for.
    enriched_hash BLOB CHECK (length(enriched_hash) = 32),
    -- SHA-256 of the content that an operator approved, which no enricher overrules.
    approved_hash BLOB CHECK (length(approved_hash) = 32),
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
    location_country_code TEXT CHECK (length(location_country_code) = 2),
    location_city TEXT,
    -- Whole units of the currency.
    salary_min INTEGER CHECK (salary_min >= 0),
    salary_max INTEGER CHECK (salary_max >= 0),
    -- ISO 4217, upper case.
    salary_currency_code TEXT CHECK (length(salary_currency_code) = 3),
    salary_period TEXT CHECK (salary_period IN ('hourly', 'weekly', 'monthly', 'annually')),
    application_email TEXT,
    application_url TEXT,
    expiration_reason TEXT,
    -- A JSON object as text, so that order and spelling stay as sent.
    metadata TEXT CHECK (metadata IS NULL OR json_valid(metadata)),
    -- HTML, as sent.
    raw_description TEXT NOT NULL
) STRICT;

-- The two orders of the list: all postings, and those of one status.
CREATE INDEX postings_by_update ON postings (updated_at, id);
CREATE INDEX postings_by_status ON postings (status, updated_at, id);

-- What the worker that ends lifetimes asks for. A query uses it only if it repeats the two
-- status names literally.
CREATE INDEX postings_by_end ON postings (expire_at)
    WHERE expire_at IS NOT NULL AND status IN ('PendingEnrichment', 'approved');

-- What enrichment made of a posting. Apart from it, because no rule reads the texts and a
-- push does not write them.
CREATE TABLE posting_texts (
    posting_id BLOB NOT NULL PRIMARY KEY REFERENCES postings (id) ON DELETE CASCADE,
    -- WGS 84, in degrees; both or neither.
    latitude REAL CHECK (latitude BETWEEN -90 AND 90),
    longitude REAL CHECK (longitude BETWEEN -180 AND 180),
    markdown TEXT NOT NULL,
    -- Without what identifies the company or leads past the board.
    redacted_markdown TEXT NOT NULL,
    CHECK ((latitude IS NULL) = (longitude IS NULL))
) STRICT;

-- What became of a posting; rows are only ever added. In the order of its key.
CREATE TABLE posting_history (
    posting_id BLOB NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    -- The version of the posting that the commit wrote which added this entry.
    version INTEGER NOT NULL,
    -- Counts the entries of one commit, from 0.
    step INTEGER NOT NULL,
    at INTEGER NOT NULL,
    status TEXT NOT NULL
        CHECK (status IN ('PendingEnrichment', 'approved', 'rejected', 'expired')),
    reason TEXT,
    -- client:ID, enricher, operator or lifetime.
    actor TEXT NOT NULL,
    PRIMARY KEY (posting_id, version, step)
) STRICT, WITHOUT ROWID;
