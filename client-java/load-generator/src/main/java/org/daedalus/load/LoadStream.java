package org.daedalus.load;

/** One kind of requests on its way through a {@link LoadRun}, whose thread alone calls it. */
interface LoadStream {
    /** Returns when it has something to do; {@link Long#MAX_VALUE}: never again. */
    long dueNs();

    /** Does what is due. */
    void onDue();

    /** Requests without an answer. */
    int inFlight();

    /** Ends the seconds that go by: everything that happened since the last cut. */
    Interval cut(long nowNs);

    /** Returns the outcome after the last cut. */
    LoadOutcome outcome();
}
