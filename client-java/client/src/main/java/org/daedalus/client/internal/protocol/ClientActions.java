package org.daedalus.client.internal.protocol;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.daedalus.channel.Outgoing;
import org.daedalus.client.DaedalusException;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.v1.Operation;

/** One step of {@link ClientCore} asks for these: first the sends, then the deliveries, each in order. */
public final class ClientActions {
    /**
     * One operation to one peer, behind the definition of a handle that it needs.
     *
     * @param request whose operation it is; null for an abort and for what is held
     * @param handles the peer's
     * @param definition null: it needs none that has not been sent
     */
    public record Send(long peerId, Request request, StatementHandles handles, OperationBytes definition,
            OperationBytes bytes) implements Outgoing {
        /** Returns the operation as its receiver reads it, the definition left out. */
        Operation operation() {
            return bytes.toMessage();
        }

        /**
         * Says whether it must not leave any more: a definition before it was refused, so that nobody knows which
         * statement its handle names. It is refused, too.
         */
        public boolean isVoid() {
            return bytes.isByHandle() && handles.hasGivenUp();
        }

        /** Says whether it tells what is held. */
        public boolean isHold() {
            return bytes.isHold();
        }

        @Override
        public int size() {
            return bytes.entrySize() + (definition == null ? 0 : definition.entrySize());
        }

        @Override
        public void writeTo(CodedOutputStream out) throws IOException {
            if (definition != null) {
                definition.writeEntry(out);
            }
            bytes.writeEntry(out);
        }
    }

    /**
     * One event for one request's responder: a result or a failure, the other is null.
     *
     * @param last nothing follows for this request
     */
    public record Delivery(Request request, ArrivedResult result, DaedalusException failure, boolean last) {}

    private final List<Send> sends = new ArrayList<>(1);
    private final List<Delivery> deliveries = new ArrayList<>(1);
    private String peerRefusal;

    public List<Send> sends() {
        return sends;
    }

    public List<Delivery> deliveries() {
        return deliveries;
    }

    /** Returns why the peer that has just been reached must be left; null: it is used. */
    public String peerRefusal() {
        return peerRefusal;
    }

    void setPeerRefusal(String why) {
        peerRefusal = why;
    }
}
