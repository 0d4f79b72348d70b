// postgres.js, which prepares each statement and reads the types of arrays when it connects.
"use strict";

const postgres = require("postgres");
const { place, run, take } = require("./steps");

const sql = postgres({ ...place, max: 2, onnotice: () => undefined });

async function portions() {
  let sum = 0;
  for await (const rows of sql`SELECT id FROM kinds WHERE id <= ${200}`.cursor(50)) {
    sum = rows.reduce((soFar, row) => soFar + row.id, sum);
  }
  return sum;
}

run(async () => {
  await take("connects", () => sql`SELECT 1 AS one`);
  await take("looks up (parameters)", () => sql`SELECT id, price FROM kinds WHERE name = ${"n3"} AND big > ${900} AND id <= 200 ORDER BY id`);
  await take("looks up a list (IN)", () => sql`SELECT id FROM kinds WHERE id IN ${sql([1, 2, 3])} ORDER BY id`);
  await take("counts (count)", () => sql`SELECT count(*) FROM kinds WHERE id <= 200`);
  await take("reads in portions (cursor)", portions);
  await take("inserts (helper)", () => sql`INSERT INTO kinds ${sql({ id: 1000, name: "it's" }, "id", "name")} RETURNING id, name`);
  await take("inserts many (helper)", async () => {
    const many = Array.from({ length: 20 }, (_, at) => ({ id: 1100 + at, big: at }));
    return (await sql`INSERT INTO kinds ${sql(many, "id", "big")}`).count;
  });
  await take("updates (helper)", async () => {
    await sql`INSERT INTO kinds (id, name) VALUES (${1200}, ${"before"})`;
    return (await sql`UPDATE kinds SET ${sql({ name: "after" }, "name")} WHERE id = ${1200}`).count;
  });
  await take("updates in a block (begin)", async () => {
    await sql`INSERT INTO kinds (id, name) VALUES (${1270}, ${"before"})`;
    return sql.begin(async (block) => (await block`UPDATE kinds SET name = ${"after"} WHERE id = ${1270}`).count);
  });
  await take("deletes", async () => {
    await sql`INSERT INTO kinds (id) VALUES (${1300})`;
    return (await sql`DELETE FROM kinds WHERE id = ${1300}`).count;
  });
  await take("commits (begin)", async () => {
    await sql.begin(async (block) => {
      await block`INSERT INTO kinds (id) VALUES (${1400})`;
      await block`INSERT INTO kinds (id) VALUES (${1401})`;
    });
    return sql`SELECT count(*) FROM kinds WHERE id IN (1400, 1401)`;
  });
  await take("nests blocks (savepoint)", async () => {
    await sql.begin(async (block) => {
      await block`INSERT INTO kinds (id) VALUES (${1600})`;
      await block.savepoint((inner) => inner`INSERT INTO kinds (id) VALUES (${1601})`);
    });
    return sql`SELECT count(*) FROM kinds WHERE id IN (1600, 1601)`;
  });
  await take("rolls back (begin)", async () => {
    await sql
      .begin(async (block) => {
        await block`INSERT INTO kinds (id) VALUES (${1500})`;
        throw new Error("rolled back");
      })
      .catch(() => undefined);
    return sql`SELECT count(*) FROM kinds WHERE id = 1500`;
  });
});
