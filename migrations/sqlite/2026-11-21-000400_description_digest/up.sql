-- A digest of each description, so that one that is pushed again is compared without being read:
-- it is by far the largest column, and most of it is on pages of its own.
--
-- From now on enriched_hash covers this digest instead of the description. Those that are there
-- cover the description itself, so the next change of such a posting has it enriched once more.
--
-- The program that applies migrations brings sha256() along. Every row has a digest; SQLite
-- cannot add a column that says so without building the table anew.

ALTER TABLE postings ADD COLUMN description_digest BLOB CHECK (length(description_digest) = 32);
UPDATE postings SET description_digest = sha256(raw_description);
