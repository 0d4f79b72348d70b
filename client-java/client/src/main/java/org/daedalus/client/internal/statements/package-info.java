/** How the text of a statement and its parameters become bytes. Knows nothing of when they are sent. */
package org.daedalus.client.internal.statements;
