<?php
// PDO with prepared statements of the server, as it starts.

function take(string $step, callable $action): void
{
    try {
        $line = ["step" => $step, "answer" => $action()];
    } catch (PDOException $error) {
        preg_match('/ERROR: *(.*)/', $error->getMessage(), $said);
        $line = ["step" => $step, "code" => $error->errorInfo[0] ?? "error", "message" => $said[1] ?? $error->getMessage()];
    }
    echo json_encode($line), "\n";
}

$place = sprintf("pgsql:host=%s;port=%s;dbname=%s", getenv("PGHOST"), getenv("PGPORT"), getenv("PGDATABASE"));
$db = new PDO($place, getenv("PGUSER"), null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
$ask = function (string $sql, array $values = []) use ($db): array {
    $statement = $db->prepare($sql);
    $statement->execute($values);
    return $statement->fetchAll(PDO::FETCH_NUM);
};
$tell = function (string $sql, array $values = []) use ($db): int {
    $statement = $db->prepare($sql);
    $statement->execute($values);
    return $statement->rowCount();
};
$block = function (callable $work, bool $commit) use ($db): mixed {
    $db->beginTransaction();
    try {
        $answer = $work();
    } catch (PDOException $error) {
        $db->rollBack();
        throw $error;
    }
    $commit ? $db->commit() : $db->rollBack();
    return $answer;
};

take("connects (query)", fn() => $db->query("SELECT 1")->fetchAll(PDO::FETCH_NUM));
take("looks up (prepare, execute)", fn() => $ask(
    "SELECT id, yes, price, day, name FROM kinds WHERE name = :name AND big > :big AND id <= 200 ORDER BY id",
    ["name" => "n3", "big" => 900]
));
take("reads a column's metadata (getColumnMeta)", function () use ($db) {
    $meta = $db->query("SELECT id, name FROM kinds WHERE id = 7")->getColumnMeta(1);
    return [$meta["name"], $meta["native_type"], $meta["len"]];
});
take("counts (fetchColumn)", fn() => $ask("SELECT count(*) FROM kinds WHERE id <= ?", [200]));
take("inserts (execute)", fn() => $tell("INSERT INTO kinds (id, name, yes) VALUES (?, ?, ?)", [1000, "it's", "t"]));
take("inserts many (execute again)", function () use ($db, $ask) {
    $statement = $db->prepare("INSERT INTO kinds (id, big) VALUES (?, ?)");
    foreach (range(0, 19) as $at) {
        $statement->execute([1100 + $at, $at]);
    }
    return $ask("SELECT count(*) FROM kinds WHERE id BETWEEN 1100 AND 1119");
});
take("copies (pgsqlCopyFromArray)", fn() => $db->pgsqlCopyFromArray("kinds", ["1180\tcopied", "1181\t\\N"], "\t", "\\\\N", "id, name"));
take("updates (execute)", function () use ($tell) {
    $tell("INSERT INTO kinds (id, name) VALUES (?, ?)", [1200, "before"]);
    return $tell("UPDATE kinds SET name = ? WHERE id = ?", ["after", 1200]);
});
take("updates in a block (beginTransaction)", function () use ($tell, $block) {
    $tell("INSERT INTO kinds (id, name) VALUES (?, ?)", [1270, "before"]);
    return $block(fn() => $tell("UPDATE kinds SET name = ? WHERE id = ?", ["after", 1270]), true);
});
take("deletes (execute)", function () use ($tell) {
    $tell("INSERT INTO kinds (id) VALUES (?)", [1300]);
    return $tell("DELETE FROM kinds WHERE id = ?", [1300]);
});
take("commits (commit)", function () use ($ask, $tell, $block) {
    $block(fn() => $tell("INSERT INTO kinds (id) VALUES (?), (?)", [1400, 1401]), true);
    return $ask("SELECT count(*) FROM kinds WHERE id IN (1400, 1401)");
});
take("rolls back (rollBack)", function () use ($ask, $tell, $block) {
    $block(fn() => $tell("INSERT INTO kinds (id) VALUES (?)", [1500]), false);
    return $ask("SELECT count(*) FROM kinds WHERE id = 1500");
});
