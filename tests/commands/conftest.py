"""Clusters that tests of several files share: one is small, and one has room for some hundred thousand rows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from local_cluster import LocalCluster, local_cluster, wait_until

ITEMS = """
CREATE TABLE items (
  id int NOT NULL PRIMARY KEY,
  place int NOT NULL,
  name varchar(8),
  flag char(2) DEFAULT 'ok',
  amount smallint,
  price numeric(6,2),
  day date,
  at timestamp
);
"""

EVENTS = """
CREATE TABLE events (
  id int NOT NULL PRIMARY KEY,
  code bigint NOT NULL,
  name varchar(40)
);
"""


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """2 storage nodes of 2 small segments, by hash(place) and hash(id); 2 aggregators."""
    base = tmp_path_factory.mktemp("commands")
    options = ["--storage-nodes", "2", "--segments", "2", "--aggregators", "2", "--segment-mib", "1"]
    options += ["--partition-by", "hash(place)", "--segment-by", "hash(id)"]
    with local_cluster(base, ITEMS, *options) as running:
        yield running


@pytest.fixture
def empty_table(cluster: LocalCluster) -> LocalCluster:
    """The cluster with no rows in it."""
    cluster.change("DELETE FROM items")
    return cluster


@pytest.fixture(scope="session")
def events(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """A table of which some hundred thousand rows are more than one answer may have."""
    base = tmp_path_factory.mktemp("events")
    options = ["--storage-nodes", "2", "--segments", "2", "--segment-mib", "16", "--answer-mib", "4"]
    with local_cluster(base, EVENTS, *options) as running:
        yield running


@pytest.fixture
def no_events(events: LocalCluster) -> LocalCluster:
    """Empties the table of events."""
    wait_until(lambda: events.succeeds("DELETE FROM events"), "the table is empty")
    return events
