-- What lets programs of the version before go on with a schema that a newer one has migrated: which
-- programs can work with it. It has one row. A migration that removes what older programs use changes
-- it.
CREATE TABLE schema_compatibility (
    -- True: there is one row.
    is_the_one INTEGER NOT NULL PRIMARY KEY DEFAULT 1 CHECK (is_the_one = 1),
    -- The version of a migration. Programs that know it can work with the schema, also if it has later
    -- migrations that they do not know.
    needs TEXT NOT NULL CHECK (needs <> '')
) STRICT;

INSERT INTO schema_compatibility (needs) VALUES ('20261123040000');
