/**
 * How the client works beneath its API, by what each package decides; for this project's own programs, and changed
 * without notice. Packages depend one way: sending, protocol, answers, statements, values.
 */
package org.daedalus.client.internal;
