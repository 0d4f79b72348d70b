/** How the requests of an application's threads get to the network and their results back. */
package org.daedalus.client.internal.sending;
