-- Adds no table and no column: there is nothing new to hold.
SELECT 1;
