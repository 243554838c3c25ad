-- A digest of each description, so that one that is pushed again is compared without being read:
-- it is by far the largest column, stored apart and compressed.
--
-- From now on enriched_hash covers this digest instead of the description. Those that are there
-- cover the description itself, so the next change of such a posting has it enriched once more.

ALTER TABLE postings ADD COLUMN description_digest bytea;
UPDATE postings SET description_digest = sha256(convert_to(raw_description, 'UTF8'));
ALTER TABLE postings
    ALTER COLUMN description_digest SET NOT NULL,
    ADD CHECK (octet_length(description_digest) = 32);

COMMENT ON COLUMN postings.description_digest IS 'SHA-256 of raw_description in UTF-8.';
