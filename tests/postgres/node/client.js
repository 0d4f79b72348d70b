// node-postgres as its users make it: connection string in, one JSON line of what it saw out.
"use strict";

const { Client, Pool } = require("pg");

async function read(client) {
  const seen = {};
  await client.query("INSERT INTO kinds (id, yes, big, price, name, day) VALUES ($1, $2, $3, $4, $5, $6)", [
    1, true, "9007199254740993", "12.500", "it's", "2013-02-03",
  ]);
  const plain = await client.query("SELECT id, yes, big, price, name, day::varchar AS day FROM kinds ORDER BY id");
  seen.row = plain.rows[0];
  seen.fields = plain.fields.map((field) => [field.name, field.dataTypeID]);
  const named = { name: "by id", text: "SELECT name FROM kinds WHERE id = $1" };
  seen.named = [];
  for (const id of [1, 2, 1]) {
    seen.named.push((await client.query({ ...named, values: [id] })).rowCount);
  }
  seen.listed = (await client.query("SELECT count(*) AS n FROM kinds WHERE id = ANY($1)", [[1, 2, 3]])).rows[0].n;
  seen.array = (await client.query({ text: "SELECT id, name FROM kinds", rowMode: "array" })).rows;
  return seen;
}

async function failure(client) {
  try {
    await client.query("SELECT nothing FROM kinds");
  } catch (error) {
    return { code: error.code, position: error.position };
  }
  return null;
}

async function transact(client) {
  await client.query("BEGIN");
  await client.query("INSERT INTO kinds (id) VALUES ($1)", [2]);
  await client.query("ROLLBACK");
  await client.query("BEGIN");
  await client.query("INSERT INTO kinds (id) VALUES ($1)", [3]);
  await client.query("COMMIT");
  const updated = await client.query("UPDATE kinds SET name = $1 WHERE id > $2", ["new", 2]);
  return [updated.command, updated.rowCount];
}

async function main(connectionString) {
  const client = new Client({ connectionString });
  await client.connect();
  const seen = await read(client);
  seen.failure = await failure(client);
  seen.updated = await transact(client);
  await client.end();
  const pool = new Pool({ connectionString, max: 4 });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, at) => pool.query("SELECT $1::int + count(*) AS sum FROM kinds", [at]))
  );
  seen.sums = answers.map((answer) => Number(answer.rows[0].sum));
  await pool.end();
  console.log(JSON.stringify(seen));
}

main(process.argv[2]).catch((error) => {
  console.error(error);
  process.exit(1);
});
