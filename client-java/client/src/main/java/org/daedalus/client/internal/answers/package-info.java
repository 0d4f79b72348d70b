/** Keeps the columns and rows of an answer until the application reads them. Knows nothing of requests. */
package org.daedalus.client.internal.answers;
