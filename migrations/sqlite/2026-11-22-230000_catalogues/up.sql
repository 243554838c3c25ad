-- Catalogues: the postings that a client offers under a name, the import of one that is running, and
-- the last one that ended.

-- Which postings a catalogue has is in postings.catalogue_id.
CREATE TABLE catalogues (
    -- A UUIDv7. A catalogue that was deleted and made again has another one.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    client_id BLOB NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    name TEXT NOT NULL COLLATE BINARY
        CHECK (length(name) BETWEEN 1 AND 64 AND name NOT GLOB '*[^A-Za-z0-9._-]*'),
    -- When its first import began.
    created_at INTEGER NOT NULL,
    -- The import that is running, a random id, and when its lease ends if it is not renewed. Only a
    -- commit that finds the id here may expire postings for the import.
    holder BLOB CHECK (length(holder) = 16),
    leased_until INTEGER,
    -- The last import that ended.
    last_started_at INTEGER,
    last_finished_at INTEGER,
    -- Its lines that were not blank, and what came of them.
    lines INTEGER NOT NULL CHECK (lines >= 0),
    created INTEGER NOT NULL CHECK (created >= 0),
    updated INTEGER NOT NULL CHECK (updated >= 0),
    unchanged INTEGER NOT NULL CHECK (unchanged >= 0),
    expired INTEGER NOT NULL CHECK (expired >= 0),
    reopened INTEGER NOT NULL CHECK (reopened >= 0),
    refused INTEGER NOT NULL CHECK (refused >= 0),
    -- The service could not answer these.
    failed INTEGER NOT NULL CHECK (failed >= 0),
    -- The open postings that no line named, and those of them that expired; unset if the import did
    -- not get so far.
    missing INTEGER CHECK (missing >= 0),
    missing_expired INTEGER CHECK (missing_expired >= 0),
    -- Whether none expired because too many were missing.
    is_held INTEGER NOT NULL CHECK (is_held IN (0, 1)),
    -- Whether every line had an answer, and the body ended as it should.
    is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1)),
    UNIQUE (client_id, name),
    CHECK ((holder IS NULL) = (leased_until IS NULL)),
    CHECK ((last_started_at IS NULL) = (last_finished_at IS NULL)),
    CHECK ((missing IS NULL) = (missing_expired IS NULL))
) STRICT, WITHOUT ROWID;

-- The catalogue that listed a posting last. No foreign key: a catalogue that is deleted leaves its
-- postings as they are. Actors, which no check limits here, are also catalogue:NAME and
-- operator:NAME from now on.
ALTER TABLE postings ADD COLUMN catalogue_id BLOB CHECK (length(catalogue_id) = 16);

-- What an import of a catalogue asks for, by pages. It has no column that a push or an outcome
-- changes, so a posting moves in it only when it expires, comes back or is listed elsewhere.
CREATE INDEX postings_by_catalogue ON postings (catalogue_id, id)
    WHERE catalogue_id IS NOT NULL AND expired_at IS NULL;
