-- What updates of one row each are measured on: a key, what changes, and some weight.
CREATE TABLE accounts (
    id int NOT NULL,
    balance bigint NOT NULL,
    owner char(64) NOT NULL
);
