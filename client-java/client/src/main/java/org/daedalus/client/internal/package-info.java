/**
 * Lets the client work beneath its API; for this project's own programs, and changed without notice. Each package below
 * decides one thing, and they depend one way: sending, protocol, answers, statements, values.
 */
package org.daedalus.client.internal;
