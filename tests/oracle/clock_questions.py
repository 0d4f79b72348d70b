"""Questions whose answers hang on the zone of a session's clocks, and moments when clocks are put forward or back."""

from __future__ import annotations

from constants import words

# Zones with daylight saving time of an hour and of half an hour, of odd offsets, of a day that was left out, without a
# database.
ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "America/St_Johns",
    "Pacific/Apia",
    "Africa/Monrovia",
    "EET",
    "-3.5",
    "<+03:30>-03:30",
    "CET-1CEST,M3.5.0,M10.5.0/3",
)

MOMENTS = (
    "2013-03-31 00:30:00",
    "2013-03-31 01:30:00+00",
    "2013-03-31 02:30",
    "2013-10-27 02:30",
    "2013-10-27 00:30+00",
    "2013-10-27 01:30+00",
    "2013-03-10 02:30",
    "2013-11-03 01:30",
    "2013-04-07 01:45",
    "2013-10-06 02:15",
    "2011-12-30 12:00",
    "1900-01-01 00:00",
    "0002-06-02",
    "294245-01-01",
    "2040-07-01 12:34:56.789",
    "2013-06-15 23:59:59.999999",
    "2013-06-15 12:34:38.61355",
    "epoch",
    "yesterday",
    "tomorrow 05:00",
)

ROWS = [
    f"INSERT INTO t (i, moment, at, day, clock, v) VALUES "
    f"({number}, '{text}', '{text}'::timestamp, '{text}'::date, '{text}'::timestamptz::time, "
    f"'2013-01-0{number % 9 + 1}')"
    for number, text in enumerate(MOMENTS)
] + ["INSERT INTO t (i) VALUES (-1)"]

_PARTS = words(
    "epoch timezone timezone_hour timezone_minute hour minute second day dow isodow doy week isoyear quarter year "
    "julian century milliseconds"
)

EXPRESSIONS = [
    "moment",
    "moment::timestamp",
    "moment::date",
    "moment::time",
    "moment::text",
    "moment::varchar(10)",
    "moment::char(5)",
    "at::timestamptz",
    "day::timestamptz",
    "v::timestamptz",
    "moment::timestamp::timestamptz",
    "'2013-07-01 12:00'::timestamptz",
    "timestamptz '2013-10-27 02:30:00 CEST'",
    "timestamptz '2013-10-27 02:30:00+05:30'",
    "timestamptz '2013-10-27 02:30:00 Asia/Tokyo'",
    "timestamptz 'today'",
    "timestamptz 'now' = now()",
    "timestamp 'now' = localtimestamp",
    "date 'today' = current_date",
    "time 'now' = localtime",
    "now()::date = current_date",
    "now()::timestamp = localtimestamp",
    "moment + interval '1 month'",
    "moment + interval '1 day'",
    "moment - interval '1 day'",
    "moment + interval '1 month 1 day 1 hour'",
    "interval '36 hours' + moment",
    "moment - interval '5 months 3 days 02:00'",
    "moment + interval '-1 month 31 days -24:00'",
    "moment - at",
    "moment - day",
    "moment - '2013-01-01'",
    "at - moment",
    "date_trunc('day', moment)",
    "date_trunc('hour', moment)",
    "date_trunc('week', moment)::date",
    "date_trunc('month', moment)",
    "date_trunc('quarter', day)",
    *[f"date_part('{part}', moment)" for part in _PARTS],
    *[f"extract({part} FROM moment)" for part in _PARTS],
    "date_part(CASE WHEN i > 3 THEN 'hour' ELSE 'timezone' END, moment)",
    "age(moment)",
    "age(at)",
    "age(moment, at)",
    "age(moment, '2013-10-27 02:30')",
    "to_char(moment, 'YYYY-MM-DD HH24:MI:SS.US TZH:TZM OF')",
    "to_char(moment, 'FMOF')",
    "to_char(at, 'HH24 TZH')",
    "moment = at",
    "moment < day",
    "at >= moment",
    "day <> moment",
    "moment > '2013-06-01'",
    "moment BETWEEN '2013-01-01' AND date '2013-12-31'",
    "moment IN (date '2013-06-15', timestamp '2013-10-27 02:30')",
    "at IN (timestamptz '2013-10-27 02:30')",
    "moment = ANY ('{2013-10-27 02:30, 2013-03-31 02:30}')",
    "(moment, day) < (at, day)",
    "coalesce(moment, at)",
    "greatest(moment, day)",
    "CASE WHEN i > 3 THEN moment ELSE day END",
    "nullif(moment, at)",
    "moment || 'x'",
    "concat(moment, ' ', at)",
    "concat_ws(',', moment, day)",
    "make_timestamptz(2013, 3, 31, 2, 30, 0)",
    "make_timestamptz(2013, 3, 31, 2, 30, 0, 'UTC')",
    "moment AT TIME ZONE 'UTC'",
    "at AT TIME ZONE 'Asia/Tokyo'",
    "date_bin('15 minutes', moment, '2013-01-01')",
    "to_timestamp(1372000000.5)",
    "upper(moment::text)",
    "(moment + interval '1 day')::date + 1",
    "date(moment)",
    "timestamptz(day)",
    "timestamptz(day, clock)",
    "timestamptz_pl_interval(moment, '1 month 1 day')",
    "date_lt_timestamptz(day, moment)",
    "timestamp_cmp_timestamptz(at, moment)",
    "in_range(moment, moment, '1 month', true, false)",
    "in_range(moment, at, '1 day', false, true)",
    "(moment, interval '1 day') OVERLAPS (at, interval '1 month')",
    "(moment, moment) OVERLAPS (day, interval '1 day')",
    "format('%s %L', moment, moment)",
    "quote_nullable(moment::text)",
    "to_timestamp('2013-10-27 02:30', 'YYYY-MM-DD HH24:MI')",
    "to_timestamp('2013-10-27 02:30 -05', 'YYYY-MM-DD HH24:MI TZH')",
    "to_timestamp(v, 'YYYY-MM-DD')",
    "to_date(moment::text, 'YYYY-MM-DD')",
    "to_char(moment - at, 'DD HH24:MI')",
]

CONDITIONS = [
    "moment >= '2013-06-01'",
    "moment >= date '2013-06-01'",
    "moment < timestamp '2013-10-27 02:30'",
    "at < timestamptz '2013-10-27 02:30'",
    "day = timestamptz '2013-06-15'",
    "day <= now()",
    "at > now() - interval '1 year'",
    "moment::date = '2013-10-27'",
    "moment > at",
    "moment IN ('2013-03-31 02:30', '2013-10-27 02:30')",
    "moment NOT IN (date '2013-06-15', '2013-03-31 02:30')",
    "moment BETWEEN '2013-03-31' AND '2013-04-01'",
    "day BETWEEN timestamptz '2013-03-31' AND '2013-04-07'",
    "moment = ANY (ARRAY['2013-10-27 02:30'::timestamptz])",
    "date_trunc('day', moment) = '2013-10-27'",
    "extract(hour FROM moment) = 2",
    "to_char(moment, 'HH24') = '02'",
    "NOT (at < timestamptz '2013-10-27 02:30' OR moment < date '2013-01-01')",
]

GROUPS = [
    "SELECT date_trunc('month', moment) AS m, count(*) AS n FROM t GROUP BY 1",
    "SELECT moment::date AS d, count(*) AS n, max(moment) AS h, min(at::timestamptz) AS l FROM t GROUP BY moment::date",
    "SELECT max(moment)::text AS e FROM t",
    "SELECT string_agg(moment::text, ',' ORDER BY moment) AS e FROM t",
    "SELECT DISTINCT extract(timezone FROM moment) AS e FROM t",
    "SELECT count(DISTINCT moment::date) AS e FROM t",
    "VALUES (timestamptz '2013-10-27 02:30', date '2013-10-27'::timestamptz)",
]

WRITES = [
    "UPDATE t SET moment = at WHERE i = i",
    "UPDATE t SET at = moment WHERE i = i",
    "UPDATE t SET day = moment, clock = moment WHERE i = i",
    "UPDATE t SET moment = '2013-10-27 02:30' WHERE i = i",
    "UPDATE t SET moment = moment + interval '1 day' WHERE i = i AND moment > '2013-01-01'",
    "UPDATE t SET v = moment WHERE i = i",
    "UPDATE t SET moment = day + interval '2 hours 30 minutes' WHERE i = i",
    "DELETE FROM t WHERE i = i AND at < timestamptz '2013-10-27 02:30'",
]

INSERTS = [
    "INSERT INTO t (i, moment) VALUES (1, timestamp '2013-10-27 02:30') "
    "RETURNING moment, moment::text, moment::date AS d",
    "INSERT INTO t (i, at, day) VALUES (1, timestamptz '2013-10-27 02:30+00', timestamptz '2013-10-26 23:30+00') "
    "RETURNING at, day",
    "INSERT INTO t (i, v) VALUES (1, (timestamptz '2013-10-27 00:30+00')::varchar(10)) RETURNING v",
    "INSERT INTO t (i, moment) VALUES (1, now() + interval '1 month') RETURNING moment = now() + interval '1 month'",
]
