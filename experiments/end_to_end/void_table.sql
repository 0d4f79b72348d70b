-- What void nodes serve: a key, and columns enough for a query like a booking query.
CREATE TABLE keyed (
    id bigint NOT NULL,
    c1 int NOT NULL, c2 int NOT NULL, c3 int NOT NULL, c4 int NOT NULL, c5 int NOT NULL, c6 int NOT NULL,
    c7 int NOT NULL, c8 int NOT NULL, c9 int NOT NULL, c10 int NOT NULL, c11 int NOT NULL, c12 int NOT NULL,
    c13 int NOT NULL, c14 int NOT NULL, c15 int NOT NULL, c16 int NOT NULL, c17 int NOT NULL, c18 int NOT NULL,
    c19 int NOT NULL, c20 int NOT NULL, c21 int NOT NULL, c22 int NOT NULL, c23 int NOT NULL, c24 int NOT NULL,
    c25 int NOT NULL, c26 int NOT NULL,
    PRIMARY KEY (id)
);
