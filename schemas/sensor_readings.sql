-- Readings of sensors, as they come in: one row per reading, in order of time, busy sensors more often than others.
CREATE TABLE sensor_readings (
    sensor_id int NOT NULL,
    taken_at timestamp NOT NULL,
    site char(4) NOT NULL,
    quantity varchar(12) NOT NULL,
    value double precision,
    battery_volts real,
    signal_dbm smallint,
    status smallint NOT NULL DEFAULT 0,
    is_suspect bool NOT NULL DEFAULT false,
    calibrated_on date,
    note varchar(40),
    PRIMARY KEY (sensor_id, taken_at)
);
