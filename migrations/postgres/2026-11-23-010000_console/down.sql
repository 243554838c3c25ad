-- Everybody is signed out.
DROP TABLE console_passes;
