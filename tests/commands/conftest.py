"""One small cluster for all tests of commands and of bad input."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from local_cluster import LocalCluster, local_cluster

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
    (deleted,) = cluster.quick("DELETE FROM items")
    assert "error" not in deleted, deleted
    return cluster
