/** How the columns and rows of an answer are kept until the application reads them. Knows nothing of requests. */
package org.daedalus.client.internal.answers;
