// Kysely over node-postgres: its query builder, streams and transactions.
"use strict";

const Cursor = require("pg-cursor");
const { Kysely, PostgresDialect, sql } = require("kysely");
const { Pool } = require("pg");
const { place, run, take } = require("./steps");

const db = new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ ...place, max: 3 }), cursor: Cursor }) });
const rows = () => db.selectFrom("kinds").where("id", "<=", 200);
const count = (low, high) =>
  db.selectFrom("kinds").select((eb) => eb.fn.countAll().as("n")).where("id", ">=", low).where("id", "<=", high).execute();

async function streams() {
  let sum = 0;
  for await (const row of rows().select("id").stream(50)) {
    sum += row.id;
  }
  return sum;
}

run(async () => {
  await take("connects", async () => (await sql`SELECT 1 AS one`.execute(db)).rows);
  await take("reads the catalogue (introspection)", async () => {
    const tables = await db.introspection.getTables();
    return tables.map((table) => [table.name, table.columns.map((column) => [column.name, column.dataType, column.isNullable])]);
  });
  await take("looks up (where)", () => rows().select(["id", "price"]).where("name", "in", ["n3", "n5"]).where("big", ">", 900).orderBy("id", "desc").execute());
  await take("looks up by key (executeTakeFirst)", () => db.selectFrom("kinds").selectAll().where("id", "=", 7).executeTakeFirst());
  await take("counts (countAll)", () => count(1, 200));
  await take("asks whether there is one (exists)", () =>
    db.selectNoFrom((eb) => eb.exists(eb.selectFrom("kinds").select("id").where("name", "=", "n3")).as("found")).execute()
  );
  await take("groups (groupBy)", () => rows().select((eb) => ["name", eb.fn.sum("big").as("total")]).groupBy("name").orderBy("name").execute());
  await take("reads pages (limit, offset)", () => rows().select("id").orderBy("id").limit(9).offset(60).execute());
  await take("reads in portions (stream)", streams);
  await take("inserts (insertInto, returning)", () => db.insertInto("kinds").values({ id: 1000, name: "it's" }).returning(["id", "name"]).execute());
  await take("inserts many (insertInto)", async () => {
    await db.insertInto("kinds").values(Array.from({ length: 20 }, (_, at) => ({ id: 1100 + at, big: at }))).execute();
    return count(1100, 1199);
  });
  await take("updates (updateTable)", async () => {
    await db.insertInto("kinds").values({ id: 1200, name: "before" }).execute();
    return String((await db.updateTable("kinds").set({ name: "after" }).where("id", "=", 1200).executeTakeFirst()).numUpdatedRows);
  });
  await take("updates (updateTable, returning)", async () => {
    await db.insertInto("kinds").values({ id: 1210, name: "before" }).execute();
    return db.updateTable("kinds").set({ name: "after" }).where("id", "=", 1210).returning("name").execute();
  });
  await take("updates in a block (transaction)", async () => {
    await db.insertInto("kinds").values({ id: 1270, name: "before" }).execute();
    return db.transaction().execute(async (block) => {
      const changed = await block.updateTable("kinds").set({ name: "after" }).where("id", "=", 1270).executeTakeFirst();
      return String(changed.numUpdatedRows);
    });
  });
  await take("deletes (deleteFrom)", async () => {
    await db.insertInto("kinds").values({ id: 1300 }).execute();
    return String((await db.deleteFrom("kinds").where("id", "=", 1300).executeTakeFirst()).numDeletedRows);
  });
  await take("inserts or updates (onConflict)", () =>
    db.insertInto("kinds").values({ id: 1720, big: 1 }).onConflict((on) => on.column("id").doUpdateSet({ big: 2 })).returning("big").execute()
  );
  await take("commits (transaction)", async () => {
    await db.transaction().execute(async (block) => {
      await block.insertInto("kinds").values({ id: 1400 }).execute();
      await block.insertInto("kinds").values({ id: 1401 }).execute();
    });
    return count(1400, 1401);
  });
  await take("rolls back (transaction)", async () => {
    await db
      .transaction()
      .execute(async (block) => {
        await block.insertInto("kinds").values({ id: 1500 }).execute();
        throw new Error("rolled back");
      })
      .catch(() => undefined);
    return count(1500, 1500);
  });
});
