/** Decides which aggregator gets which request, and how each request ends. Knows no sockets, threads and clocks. */
package org.daedalus.client.internal.protocol;
