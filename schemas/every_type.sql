-- Every type a column may have, once at its ordinary size and once at an edge; nearly all of it may be NULL.
CREATE TABLE every_type (
    id bigint NOT NULL PRIMARY KEY,
    grp varchar(8) DEFAULT 'none',
    b bool,
    b_default bool DEFAULT true,
    i2 smallint,
    i4 int DEFAULT -1,
    i8 bigint,
    f4 real,
    f8 double precision DEFAULT 0.5,
    n9_2 numeric(9, 2),
    n18_0 numeric(18) DEFAULT 7,
    n38_10 numeric(38, 10),
    d date DEFAULT '2013-01-01',
    ts timestamp,
    c1 char,
    c5 char(5) DEFAULT 'ab',
    v1 varchar(1),
    v20 varchar(20),
    v4096 varchar(4096),
    i4_required int NOT NULL DEFAULT 0,
    c3_required char(3) NOT NULL DEFAULT ''
);
