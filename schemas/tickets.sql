-- A small airline ticket: one row per passenger and flight segment.
CREATE TABLE tickets (
    rloc char(6) NOT NULL,
    segment smallint NOT NULL,
    provider char(2) NOT NULL,
    product_id smallint,
    date_in date NOT NULL,
    departure timestamp,
    origin char(3) NOT NULL,
    destination char(3) NOT NULL,
    seat varchar(4),
    cabin char(1) NOT NULL DEFAULT 'Y',
    cancel_flag bool NOT NULL DEFAULT false,
    sgt_qualifier char(1) DEFAULT NULL,
    fare numeric(10, 2),
    passenger varchar(60),
    PRIMARY KEY (rloc, segment)
);
