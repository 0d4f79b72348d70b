/** Carries the requests of an application's threads to the network and their results back. */
package org.daedalus.client.internal.sending;
