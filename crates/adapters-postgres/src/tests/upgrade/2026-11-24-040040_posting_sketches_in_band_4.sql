-- The migration adds nothing that a row could set.
SELECT 1;
