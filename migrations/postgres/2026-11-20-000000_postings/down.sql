DROP TABLE posting_history;
DROP TABLE posting_texts;
DROP TABLE postings;
DROP TABLE companies;
