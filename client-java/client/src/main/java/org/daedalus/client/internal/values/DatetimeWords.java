package org.daedalus.client.internal.values;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The words of PostgreSQL's dates and times, and the names of time zones. All in lower case. */
final class DatetimeWords {
    enum Kind {
        IGNORED, MONTH, WEEKDAY, MORNING, AFTERNOON, AFTER_CHRIST, BEFORE_CHRIST, LABEL, ISO_TIME, CURRENT, MIDNIGHT,
        EPOCH, LATE, EARLY, DAYLIGHT_MODIFIER
    }

    /** A label says which part the number behind it is. */
    enum Label {
        NONE, YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, JULIAN_DAY, ISO_TIME, OTHER
    }

    /** number: of a month. */
    record Word(Kind kind, int number, Label label) {}

    private static final String MONTHS = "january february march april may june "
            + "july august september october november december";
    private static final Map<String, Word> WORDS = words();

    /** Abbreviations and their minutes east of UTC. */
    private static final Map<String, Integer> STANDARD_TIMES = times(
            "acst 570 act -300 acwst 525 aest 600 aft 270 akst -540 almt 360 amt -240 ast -240 awst 480 "
            + "azot -60 bdt 360 bnt 480 bort 480 bot -240 bra -180 brt -180 btt 360 cast 570 cct 480 cet 60 "
            + "chast 765 chut 600 cot -300 cst -360 cxt 420 ddut 600 eat 180 eet 120 egt -60 est -300 fet 180 "
            + "fjt 720 fnt -120 galt -360 gamt -540 gft -180 gilt 720 gmt 0 hkt 480 hst -600 ict 420 irt 210 "
            + "ist 120 jayt 540 jst 540 kst 540 lhst 630 ligt 600 mart -570 met 60 mez 60 mht 720 mmt 390 "
            + "mpt 600 mst -420 mut 240 mvt 300 myt 480 nft -210 npt 345 nst -210 nzst 720 nzt 720 pet -300 "
            + "pgt 600 pht 480 pkt 300 pmst -180 pont 660 pst -480 pwt 540 ret 240 sast 120 sct 240 taht -600 "
            + "tft 300 tjt 300 tot 780 trut 600 tvt 720 uct 0 ut 0 utc 0 uyt -180 uzt 300 vut 660 wakt 720 "
            + "wast 420 wat 60 wet 0 wft 720 wgt -180 xjt 360 yapt 600 z 0 zulu 0");
    private static final Map<String, Integer> DAYLIGHT_TIMES = times(
            "acdt 630 acsst 630 adt -180 aedt 660 aesst 660 akdt -480 almst 420 awsst 540 azost 0 bdst 120 "
            + "brst -120 bst 60 cadt 630 cdt -300 cest 120 cetdst 120 chadt 825 clst -180 edt -240 eest 180 "
            + "eetdst 180 egst 0 fjst 780 fnst -60 idt 180 kdt 600 kgst 360 mdt -360 mest 120 mesz 120 "
            + "metdst 120 msd 240 must 300 ndt -150 nzdt 780 pdt -420 pkst 360 pmdt -120 pyst -180 sadt 630 "
            + "ulast 540 uyst -120 uzst 360 wadt 480 wdt 540 wetdst 60 wgst -120 yekst 360");
    /** These names have meant several offsets; the time zone database knows which one when. */
    private static final Set<String> TIMES_OF_PLACES = Set.of((
            "amst anast anat arst art azst azt ckt clt davt easst east fkst fkt gest get gyt iot irkst irkt "
            + "kgt kost krast krat lhdt lint lkt magst magt mawt msk novst novt nut omsst omst petst pett pyt "
            + "sgt tkt tmt ulat vet vlast vlat volt yakst yakt yekt").split(" "));
    /** Zones of the time zone database whose name is one word, as far as they are no abbreviations. */
    private static final Set<String> ZONE_WORDS = Set.of((
            "cuba egypt eire factory gb gb-eire greenwich hongkong iceland iran israel jamaica japan "
            + "kwajalein libya localtime navajo nz nz-chat poland portugal posixrules prc roc rok "
            + "singapore turkey universal w-su").split(" "));
    /** The names of places begin with one of these, up to the first slash. */
    private static final Set<String> ZONE_AREAS = Set.of((
            "africa america antarctica arctic asia atlantic australia brazil canada chile etc europe "
            + "indian mexico pacific posix right us").split(" "));

    /** POSIX spells zones without rules so in TZ: est5, est5edt, foo+3:30bar. */
    private static final String HOURS = "0*(?:\\d|\\d\\d|1[0-5]\\d|16[0-7])(?!\\d)";
    private static final String MINUTES = "0*[0-5]?\\d(?!\\d)";
    private static final String SECONDS = "0*(?:[0-5]?\\d|60)(?!\\d)";
    private static final String OFFSET = "[+-]?" + HOURS + "(?:(?!:)|:" + MINUTES + "(?:(?!:)|:" + SECONDS + "))";
    private static final Pattern POSIX_ZONE =
            Pattern.compile("[^0-9+-]+" + OFFSET + "(?:[^0-9+-]+(?:" + OFFSET + ")?)?");

    private DatetimeWords() {}

    /** Returns the word, null if it is none. */
    static Word find(String text) {
        return WORDS.get(text);
    }

    /** Minutes east of UTC of an abbreviation of standard time, to which "dst" may be added; null if it is none. */
    static Integer standardTime(String name) {
        return STANDARD_TIMES.get(name);
    }

    static Integer daylightTime(String name) {
        return DAYLIGHT_TIMES.get(name);
    }

    /** Says whether the name is an abbreviation that means what it meant at a place. */
    static boolean isTimeOfPlace(String name) {
        return TIMES_OF_PLACES.contains(name);
    }

    /** Says whether the name is one word that names a zone, or says what the zone's offset is. */
    static boolean isZone(String name) {
        return ZONE_WORDS.contains(name) || POSIX_ZONE.matcher(name).matches();
    }

    /** Says whether the name begins like "europe/…"; whether there is such a place is not known here. */
    static boolean isPlace(String name) {
        int slash = name.indexOf('/');
        return slash >= 0 && ZONE_AREAS.contains(name.substring(0, slash));
    }

    private static Map<String, Integer> times(String table) {
        Map<String, Integer> times = new HashMap<>();
        String[] words = table.split(" ");
        for (int i = 0; i < words.length; i += 2) {
            times.put(words[i], Integer.valueOf(words[i + 1]));
        }
        return Map.copyOf(times);
    }

    private static Map<String, Word> words() {
        Map<String, Word> words = new HashMap<>();
        int number = 0;
        for (String month : MONTHS.split(" ")) {
            Word word = new Word(Kind.MONTH, ++number, Label.NONE);
            words.put(month, word);
            words.put(month.substring(0, 3), word);
        }
        words.put("sept", words.get("sep"));
        add(words, Kind.WEEKDAY, "sun sunday mon monday tue tues tuesday wed weds wednesday thu thur thurs "
                + "thursday fri friday sat saturday");
        add(words, Kind.IGNORED, "at on");
        add(words, Kind.MORNING, "am");
        add(words, Kind.AFTERNOON, "pm");
        add(words, Kind.AFTER_CHRIST, "ad");
        add(words, Kind.BEFORE_CHRIST, "bc");
        add(words, Kind.ISO_TIME, "t");
        add(words, Kind.CURRENT, "now today tomorrow yesterday");
        add(words, Kind.MIDNIGHT, "allballs");
        add(words, Kind.EPOCH, "epoch");
        add(words, Kind.LATE, "infinity");
        add(words, Kind.EARLY, "-infinity");
        add(words, Kind.DAYLIGHT_MODIFIER, "dst");
        label(words, Label.YEAR, "y");
        label(words, Label.MONTH, "m");
        label(words, Label.DAY, "d");
        label(words, Label.HOUR, "h");
        label(words, Label.MINUTE, "mm");
        label(words, Label.SECOND, "s");
        label(words, Label.JULIAN_DAY, "j jd julian");
        label(words, Label.OTHER, "dow doy isodow isoyear");
        return Map.copyOf(words);
    }

    private static void add(Map<String, Word> words, Kind kind, String names) {
        for (String name : names.split(" ")) {
            words.put(name, new Word(kind, 0, Label.NONE));
        }
    }

    private static void label(Map<String, Word> words, Label label, String names) {
        for (String name : names.split(" ")) {
            words.put(name, new Word(Kind.LABEL, 0, label));
        }
    }
}
