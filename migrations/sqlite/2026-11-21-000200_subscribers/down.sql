DROP TABLE account_leases;
DROP TABLE subscribers;
