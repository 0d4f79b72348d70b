package org.daedalus.channel;

import io.netty.channel.Channel;
import io.netty.channel.ChannelId;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Netty's sockets under numbers of this process. Netty's own ids are unique in the world, for which it looks for the
 * address of a network card, and where there is none, on a machine with loopback alone, it warns.
 */
final class Sockets {
    private Sockets() {}

    /** A connection that this side makes. */
    static final class Dialled extends NioSocketChannel {
        @Override
        protected ChannelId newId() {
            return Id.next();
        }
    }

    /** Accepts connections. */
    static final class Listening extends NioServerSocketChannel {
        @Override
        protected ChannelId newId() {
            return Id.next();
        }

        @Override
        protected int doReadMessages(List<Object> accepted) throws IOException {
            SocketChannel socket = javaChannel().accept();
            if (socket == null) {
                return 0;
            }
            accepted.add(new Accepted(this, socket));
            return 1;
        }
    }

    private static final class Accepted extends NioSocketChannel {
        Accepted(Channel parent, SocketChannel socket) {
            super(parent, socket);
        }

        @Override
        protected ChannelId newId() {
            return Id.next();
        }
    }

    /** Unique in this process. */
    record Id(long number) implements ChannelId {
        private static final long serialVersionUID = 1L;
        private static final AtomicLong LAST = new AtomicLong();

        static Id next() {
            return new Id(LAST.incrementAndGet());
        }

        @Override
        public String asShortText() {
            return Long.toString(number);
        }

        @Override
        public String asLongText() {
            return asShortText();
        }

        @Override
        public int compareTo(ChannelId other) {
            return other instanceof Id known ? Long.compare(number, known.number)
                    : asLongText().compareTo(other.asLongText());
        }
    }
}
