-- What the worker asks for that drops the texts of postings which expired long ago: those that still
-- have any. It is as small as the postings that expired lately are few. A query uses it only if it
-- repeats the conditions literally.
CREATE INDEX postings_with_old_texts ON postings (expired_at, id)
    WHERE status = 'expired' AND (enriched_hash IS NOT NULL OR texts_digest IS NOT NULL);
