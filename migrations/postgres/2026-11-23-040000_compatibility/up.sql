-- What lets programs of the version before go on with a schema that a newer one has migrated.

CREATE TABLE schema_compatibility (
    is_the_one boolean PRIMARY KEY DEFAULT true CHECK (is_the_one),
    needs text COLLATE "C" NOT NULL CHECK (needs <> '')
);

INSERT INTO schema_compatibility (needs) VALUES ('20261123040000');

COMMENT ON TABLE schema_compatibility IS
    'Which programs can work with this schema. It has one row. A migration that removes what older programs use changes it.';
COMMENT ON COLUMN schema_compatibility.is_the_one IS 'True: there is one row.';
COMMENT ON COLUMN schema_compatibility.needs IS
    'The version of a migration. Programs that know it can work with the schema, also if it has later migrations that they do not know.';
