package org.daedalus.writer;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import org.daedalus.wire.Placement;
import org.daedalus.wire.v1.Route;

/** An update that has its number and that some node may still lack. */
final class KeptUpdate {
    /** One operation that carried it. */
    record Carrier(long peer, long sequence) {}

    final ByteString body;
    final long digest;
    final List<Route> routes;
    final long mapVersion;
    final SubmissionKey submission;
    final List<Carrier> carriers = new ArrayList<>();
    long via;
    boolean sent;
    boolean confirmed;

    KeptUpdate(ByteString body, List<Route> routes, long mapVersion, SubmissionKey submission) {
        this.body = body;
        this.digest = Placement.digest(body.toByteArray());
        this.routes = List.copyOf(routes);
        this.mapVersion = mapVersion;
        this.submission = submission;
    }
}
