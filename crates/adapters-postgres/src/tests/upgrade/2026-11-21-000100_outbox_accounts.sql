-- Rows of the new kinds are for subscribers, who come with the next migration.
SELECT 1;
