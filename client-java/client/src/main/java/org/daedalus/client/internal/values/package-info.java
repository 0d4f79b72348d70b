/** How values are read from text and written as text, as PostgreSQL 15 does. Knows nothing of statements. */
package org.daedalus.client.internal.values;
