-- Order lines of a shop, in the spirit of the usual warehouse benchmarks.
CREATE TABLE order_lines (
    order_id bigint,
    line_number int,
    part_id bigint NOT NULL,
    quantity numeric(15, 2) NOT NULL DEFAULT 1,
    extended_price numeric(25, 4) NOT NULL,
    discount real DEFAULT 0,
    tax double precision,
    return_flag char(1),
    ship_date date,
    received_at timestamp DEFAULT '1970-01-01 00:00:00',
    ship_mode varchar(10) DEFAULT 'RAIL',
    comment varchar(44),
    CONSTRAINT order_lines_key PRIMARY KEY (order_id, line_number)
);
