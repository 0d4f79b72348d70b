package org.daedalus.client;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The words of PostgreSQL's dates and times, and the names of time zones. All in lower case. */
final class DatetimeWords {
    enum Kind {
        IGNORED, MONTH, WEEKDAY, MORNING, AFTERNOON, AFTER_CHRIST, BEFORE_CHRIST, LABEL, ISO_TIME, CURRENT, MIDNIGHT,
        EPOCH, INFINITY, DAYLIGHT_MODIFIER
    }

    /** What the number behind a label is. */
    enum Label {
        NONE, YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, JULIAN_DAY, ISO_TIME, OTHER
    }

    /** number: of a month. */
    record Word(Kind kind, int number, Label label) {}

    private static final String MONTHS = "january february march april may june "
            + "july august september october november december";
    private static final Map<String, Word> WORDS = words();

    private static final Set<String> STANDARD_TIMES = Set.of((
            "acst act acwst aest aft akst almt amt ast awst azot bdt bnt bort bot bra brt btt cast cct "
            + "cet chast chut cot cst cxt ddut eat eet egt est fet fjt fnt galt gamt gft gilt gmt hkt "
            + "hst ict irt ist jayt jst kst lhst ligt mart met mez mht mmt mpt mst mut mvt myt nft npt "
            + "nst nzst nzt pet pgt pht pkt pmst pont pst pwt ret sast sct taht tft tjt tot trut tvt uct "
            + "ut utc uyt uzt vut wakt wast wat wet wft wgt xjt yapt z zulu").split(" "));
    private static final Set<String> OTHER_TIMES = Set.of((
            "acdt acsst adt aedt aesst akdt almst amst anast anat arst art awsst azost azst azt bdst "
            + "brst bst cadt cdt cest cetdst chadt ckt clst clt davt easst east edt eest eetdst egst "
            + "fjst fkst fkt fnst gest get gyt idt iot irkst irkt kdt kgst kgt kost krast krat lhdt lint "
            + "lkt magst magt mawt mdt mest mesz metdst msd msk must ndt novst novt nut nzdt omsst omst "
            + "pdt petst pett pkst pmdt pyst pyt sadt sgt tkt tmt ulast ulat uyst uzst vet vlast vlat "
            + "volt wadt wdt wetdst wgst yakst yakt yekst yekt").split(" "));
    /** Zones of the time zone database whose name is one word, as far as they are no abbreviations. */
    private static final Set<String> ZONE_WORDS = Set.of((
            "cuba egypt eire factory gb gb-eire greenwich hongkong iceland iran israel jamaica japan "
            + "kwajalein libya localtime navajo nz nz-chat poland portugal posixrules prc roc rok "
            + "singapore turkey universal w-su").split(" "));
    /** What its other names begin with, up to the first slash. */
    private static final Set<String> ZONE_AREAS = Set.of((
            "africa america antarctica arctic asia atlantic australia brazil canada chile etc europe "
            + "indian mexico pacific posix right us").split(" "));

    /** What POSIX puts into TZ, without rules: est5, est5edt, foo+3:30bar. */
    private static final String HOURS = "0*(?:\\d|\\d\\d|1[0-5]\\d|16[0-7])(?!\\d)";
    private static final String MINUTES = "0*[0-5]?\\d(?!\\d)";
    private static final String SECONDS = "0*(?:[0-5]?\\d|60)(?!\\d)";
    private static final String OFFSET = "[+-]?" + HOURS + "(?:(?!:)|:" + MINUTES + "(?:(?!:)|:" + SECONDS + "))";
    private static final Pattern POSIX_ZONE =
            Pattern.compile("[^0-9+-]+" + OFFSET + "(?:[^0-9+-]+(?:" + OFFSET + ")?)?");

    private DatetimeWords() {}

    /** The word, null if it is none. */
    static Word find(String text) {
        return WORDS.get(text);
    }

    /** An abbreviation of standard time, to which "dst" may be added. */
    static boolean isStandardTime(String name) {
        return STANDARD_TIMES.contains(name);
    }

    static boolean isOtherTime(String name) {
        return OTHER_TIMES.contains(name);
    }

    /** A zone whose name is one word, or says what its offset is. */
    static boolean isZone(String name) {
        return ZONE_WORDS.contains(name) || POSIX_ZONE.matcher(name).matches();
    }

    /** What begins like "europe/…": whether there is such a place is not known here. */
    static boolean isPlace(String name) {
        int slash = name.indexOf('/');
        return slash >= 0 && ZONE_AREAS.contains(name.substring(0, slash));
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
        add(words, Kind.INFINITY, "infinity -infinity");
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
