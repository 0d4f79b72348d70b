/** Tests of applications use this in place of a cluster. */
package org.daedalus.client.testing;

