/** Makes bytes of the text of a statement and its parameters. Knows nothing of when they are sent. */
package org.daedalus.client.internal.statements;
