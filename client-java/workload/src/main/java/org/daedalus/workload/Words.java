package org.daedalus.workload;

/** Names and codes that tickets are filled with; frequent ones first where the choice is skewed. */
final class Words {
    static final String[] WOMEN = (
            "MARY MARIA ANNA SARAH LAURA EMMA JULIA LINDA SUSAN KAREN LISA NANCY SANDRA EMILY HELEN AMY ALICE "
            + "GRACE RUTH DIANA SOFIA CARMEN OLIVIA HANNAH CHLOE NADIA IRENE ELENA LUCIA CLARA YUKI MEI PRIYA "
            + "FATIMA INGRID BEATRICE CHARLOTTE VICTORIA KATHERINE MARGARET ELIZABETH ALEXANDRA").split(" ");
    static final String[] MEN = (
            "JOHN JAMES DAVID MICHAEL ROBERT WILLIAM THOMAS DANIEL PETER PAUL MARK GEORGE STEVEN KEVIN BRIAN "
            + "JOSE CARLOS LUIS ANDREW JOSEPH ERIC SIMON VICTOR IVAN OSCAR HUGO LEON MARCO PABLO HIROSHI WEI "
            + "RAVI AHMED OMAR LARS ANTON NICHOLAS BENJAMIN ALEXANDER FREDERICK SEBASTIAN CHRISTOPHER").split(" ");
    static final String[] FAMILIES = (
            "SMITH JOHNSON WILLIAMS BROWN JONES GARCIA MILLER DAVIS RODRIGUEZ MARTINEZ LOPEZ WILSON ANDERSON "
            + "THOMAS TAYLOR MOORE JACKSON MARTIN LEE PEREZ THOMPSON WHITE HARRIS SANCHEZ CLARK RAMIREZ LEWIS "
            + "ROBINSON WALKER YOUNG ALLEN KING WRIGHT SCOTT TORRES NGUYEN HILL FLORES GREEN ADAMS NELSON BAKER "
            + "HALL RIVERA CAMPBELL MITCHELL CARTER ROBERTS COHEN PATEL KIM CHEN WANG SINGH KHAN SATO TANAKA "
            + "MUELLER SCHMIDT FISCHER ROSSI FERRARI DUBOIS MOREAU SILVA SANTOS NOVAK KOWALSKI IVANOV PETROV "
            + "HANSEN JENSEN VIRTANEN ODONNELL MACGREGOR FITZGERALD MONTGOMERY CUNNINGHAM HUTCHINSON "
            + "PAPADOPOULOS").split(" ");
    static final String[] MEALS = "VGML AVML KSML MOML GFML DBML LFML CHML BLML SFML".split(" ");
    static final String[] SERVICES = "WCHR WCHS WCHC UMNR PETC MAAS BLND DEAF BIKE MEDA".split(" ");
    static final String[] COUNTRIES = "US CA GB MX DE FR IN CN BR JP IT ES KR IL CH DO".split(" ");
    static final String[] CITIES = "NYC CHI LAX BOS MIA ATL WAS SFO DFW LON YTO PAR FRA MEX".split(" ");
    static final String[] CURRENCIES = "USD EUR CAD GBP JPY".split(" ");
    static final int[] CURRENCIES_PER_CENT = {88, 4, 4, 3, 1};
    static final String[] DOMAINS =
            "mail.example.com example.org post.example.net office.example.com example.net".split(" ");
    static final String[] AREA_CODES = "212 718 201 917 312 213 617 305 404 202 415 214".split(" ");
    static final String[] ENDORSEMENTS = {"NONREF/CHG FEE APPLIES/VALID ", "NONREF/NO CHG/NOT TRANSFERABLE/VALID ",
        "REFUND FEE APPLIES/CHG WITH FEE/VALID "};

    private Words() {}

    /** Returns one of the words, the first ones more often. */
    static String skewed(String[] words, Draws draws) {
        return words[draws.skewed(words.length)];
    }

    static String phone(Draws draws) {
        StringBuilder text = new StringBuilder(12).append("+1").append(skewed(AREA_CODES, draws)).append("555");
        appendDigits(text, draws.below(10_000), 4);
        return text.toString();
    }

    /** {@code value} in exactly {@code digits} decimal digits, its last ones when it has more. */
    static void appendDigits(StringBuilder text, long value, int digits) {
        int start = text.length();
        text.setLength(start + digits);
        long rest = value;
        for (int at = start + digits - 1; at >= start; at--) {
            text.setCharAt(at, (char) ('0' + rest % 10));
            rest /= 10;
        }
    }
}
