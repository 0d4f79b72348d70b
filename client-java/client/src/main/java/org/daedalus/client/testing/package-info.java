/** What tests of applications use in place of a cluster. */
package org.daedalus.client.testing;
