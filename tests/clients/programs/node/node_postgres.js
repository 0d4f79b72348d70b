// node-postgres with its pool, as its documentation shows it.
"use strict";

const Cursor = require("pg-cursor");
const { Pool } = require("pg");
const { place, run, take } = require("./steps");

async function inBlock(pool, action, end) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const answer = await action(client);
    await client.query(end);
    return answer;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

async function portions(pool) {
  const client = await pool.connect();
  const cursor = client.query(new Cursor("SELECT id FROM kinds WHERE id <= $1", [200]));
  let sum = 0;
  for (let rows = await cursor.read(50); rows.length > 0; rows = await cursor.read(50)) {
    sum = rows.reduce((soFar, row) => soFar + row.id, sum);
  }
  await cursor.close();
  client.release();
  return sum;
}

run(async () => {
  const pool = new Pool({ ...place, max: 3 });
  const ask = async (text, values) => (await pool.query(text, values)).rows;
  await take("connects", () => ask("SELECT 1 AS one"));
  await take("looks up (parameters)", () =>
    ask("SELECT id, yes, price, day, name FROM kinds WHERE name = $1 AND big > $2 AND id <= 200 ORDER BY id", ["n3", 900])
  );
  await take("looks up a list (= ANY)", () => ask("SELECT id FROM kinds WHERE id = ANY($1) ORDER BY id", [[1, 2, 3]]));
  await take("counts (count)", () => ask("SELECT count(*) FROM kinds WHERE id <= 200"));
  await take("reads in portions (pg-cursor)", () => portions(pool));
  await take("prepares (a name)", async () => {
    const found = [];
    for (const id of [1, 2]) {
      found.push((await pool.query({ name: "by id", text: "SELECT name FROM kinds WHERE id = $1", values: [id] })).rows);
    }
    return found;
  });
  await take("inserts (query)", () => ask("INSERT INTO kinds (id, name) VALUES ($1, $2) RETURNING *", [1000, "it's"]));
  await take("inserts many (VALUES)", async () => {
    await pool.query("INSERT INTO kinds (id, big) VALUES ($1, $2), ($3, $4)", [1100, 1, 1101, 2]);
    return ask("SELECT id, big FROM kinds WHERE id BETWEEN 1100 AND 1199 ORDER BY id");
  });
  await take("updates (query)", async () => {
    await pool.query("INSERT INTO kinds (id, name) VALUES ($1, $2)", [1200, "before"]);
    const { rowCount } = await pool.query("UPDATE kinds SET name = $1 WHERE id = $2", ["after", 1200]);
    return [rowCount, await ask("SELECT name FROM kinds WHERE id = 1200")];
  });
  await take("updates in a block (BEGIN, COMMIT)", async () => {
    await pool.query("INSERT INTO kinds (id, name) VALUES ($1, $2)", [1270, "before"]);
    return inBlock(pool, async (client) => (await client.query("UPDATE kinds SET name = 'after' WHERE id = 1270")).rowCount, "COMMIT");
  });
  await take("deletes (query)", async () => {
    await pool.query("INSERT INTO kinds (id) VALUES ($1)", [1300]);
    return (await pool.query("DELETE FROM kinds WHERE id = $1", [1300])).rowCount;
  });
  await take("commits (BEGIN, COMMIT)", async () => {
    await inBlock(pool, (client) => client.query("INSERT INTO kinds (id) VALUES ($1), ($2)", [1400, 1401]), "COMMIT");
    return ask("SELECT count(*) FROM kinds WHERE id IN (1400, 1401)");
  });
  await take("rolls back (ROLLBACK)", async () => {
    await inBlock(pool, (client) => client.query("INSERT INTO kinds (id) VALUES ($1)", [1500]), "ROLLBACK");
    return ask("SELECT count(*) FROM kinds WHERE id = 1500");
  });
  await take("takes from its pool (connect, release)", async () => {
    const all = await Promise.all(Array.from({ length: 9 }, (_, at) => ask("SELECT $1::int + 1 AS sum", [at])));
    return all.map((rows) => rows[0].sum);
  });
});
