//! Removes data of postings that have expired or been erased.

/// Finds enriched postings that expired before a time, the longest expired first. The conditions
/// are those of the partial index `postings_with_old_texts`. The argument follows the table's name.
#[macro_export]
macro_rules! old_texts {
    ($hint:literal) => {
        concat!(
            "SELECT id FROM postings ",
            $hint,
            "WHERE status = 'expired' AND (enriched_hash IS NOT NULL OR texts_digest IS NOT NULL)
                AND expired_at < :before ORDER BY expired_at, id LIMIT :limit"
        )
    };
}

/// The assignments of `Posting::forget_texts`.
#[macro_export]
macro_rules! forget_texts {
    () => {
        "enriched_hash = NULL, texts_digest = NULL, version = version + 1"
    };
}

/// Deletes a posting's drafts. Also deletes drafts of unknown postings: they may belong to it. At
/// worst, they must be paid again. The argument is the placeholder of the posting's id.
#[macro_export]
macro_rules! erase_drafts {
    ($id:literal) => {
        concat!(
            "DELETE FROM drafts WHERE draft IS NOT NULL AND (posting_id = ",
            $id,
            " OR posting_id IS NULL)"
        )
    };
}
