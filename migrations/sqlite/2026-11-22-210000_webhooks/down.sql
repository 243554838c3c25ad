-- Endpoints go with their secrets: receivers have to be registered anew.
DROP TABLE webhook_deliveries;
DROP TABLE webhook_waiting;
DROP TABLE webhook_endpoints;
