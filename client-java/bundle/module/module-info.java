/** The client library in one jar. */
module org.daedalus.client {
    requires java.logging;
    requires java.naming;
    requires jdk.jfr;
    requires jdk.unsupported;
    requires org.slf4j;

    exports org.daedalus.client;
    exports org.daedalus.client.testing;
    exports org.daedalus.wire;
}
