"""`daedalus schema`: what it proposes for a file is a table that the file fits into."""

from __future__ import annotations

from pathlib import Path

from local_cluster import DAEDALUS, local_cluster, run_command

FILE = """\
id,Name,user,day,amount,seen at,code
1,Noor,a,2024-05-01,4.20,2024-05-01 07:55:00+02,007
2,Zürich,b,2024-05-02,,2024-05-02T08:00:00Z,012
30000,"x, y",c,2024-05-03,-17.5,2024-05-03 09:00:00+00,100
"""


def test_the_proposed_table_takes_its_file_and_costs_what_was_said(tmp_path: Path) -> None:
    file = tmp_path / "visits.csv"
    file.write_text(FILE)
    proposed = run_command(DAEDALUS, "schema", file)
    assert proposed.code == 0, proposed.said
    said_bytes = int(proposed.err.split("a row takes ")[1].split()[0])
    with local_cluster(tmp_path, proposed.out, "--segments", "1", "--segment-mib", "8") as cluster:
        loaded = cluster.run_daedalus("load", file)
        assert loaded.code == 0, loaded.said
        assert cluster.rows("SELECT id, name, code FROM visits WHERE day = '2024-05-03'") == [(30000, "x, y", "100")]
        assert cluster.value("SELECT count(*) FROM visits WHERE amount IS NULL") == 1
        segment = cluster.run_daedalus("status", "--format", "json").json()["status"]["nodes"][0]["segments"][0]
        measured = int(segment["memory_bytes"]) / int(segment["rows_max"])
        assert abs(said_bytes - measured) <= 0.03 * measured, (said_bytes, measured)
