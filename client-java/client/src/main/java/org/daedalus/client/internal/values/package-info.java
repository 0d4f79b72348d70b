/** Reads values from text and writes them as text, as PostgreSQL 15 does. Knows nothing of statements. */
package org.daedalus.client.internal.values;
