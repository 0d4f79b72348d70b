// Drizzle over node-postgres: its query builder and transactions.
"use strict";

const { and, between, count, desc, eq, gt, inArray, lte, sum } = require("drizzle-orm");
const { drizzle } = require("drizzle-orm/node-postgres");
const { bigint, boolean, date, integer, numeric, pgTable, varchar } = require("drizzle-orm/pg-core");
const { Pool } = require("pg");
const { place, run, take } = require("./steps");

const kinds = pgTable("kinds", {
  id: integer("id").primaryKey(),
  yes: boolean("yes"),
  big: bigint("big", { mode: "number" }),
  price: numeric("price", { precision: 12, scale: 3 }),
  name: varchar("name", { length: 40 }),
  day: date("day"),
});
const db = drizzle(new Pool({ ...place, max: 3 }), { schema: { kinds } });
const rows = lte(kinds.id, 200);

run(async () => {
  await take("connects", async () => (await db.execute("SELECT 1 AS one")).rows);
  await take("looks up (select, where)", () =>
    db.select().from(kinds).where(and(rows, inArray(kinds.name, ["n3", "n5"]), gt(kinds.big, 900))).orderBy(desc(kinds.id))
  );
  await take("looks up by key (query.findFirst)", () => db.query.kinds.findFirst({ where: eq(kinds.id, 7) }));
  await take("reads many (query.findMany)", () => db.query.kinds.findMany({ where: eq(kinds.name, "n3"), limit: 3, orderBy: kinds.id }));
  await take("counts ($count)", () => db.$count(kinds, rows));
  await take("reads pages (limit, offset)", () =>
    db.select({ id: kinds.id }).from(kinds).where(rows).orderBy(kinds.id).limit(9).offset(60)
  );
  await take("groups (groupBy)", () =>
    db.select({ name: kinds.name, n: count(), total: sum(kinds.big) }).from(kinds).where(rows).groupBy(kinds.name).orderBy(kinds.name)
  );
  await take("prepares (prepare)", async () => {
    const byId = db.select().from(kinds).where(eq(kinds.id, 7)).prepare("by_id");
    return [await byId.execute(), await byId.execute()];
  });
  await take("inserts (insert, returning)", () => db.insert(kinds).values({ id: 1000, name: "it's" }).returning());
  await take("inserts many (insert)", async () => {
    await db.insert(kinds).values(Array.from({ length: 20 }, (_, at) => ({ id: 1100 + at, big: at })));
    return db.$count(kinds, between(kinds.id, 1100, 1199));
  });
  await take("updates (update, returning)", async () => {
    await db.insert(kinds).values({ id: 1200, name: "before" });
    return db.update(kinds).set({ name: "after" }).where(eq(kinds.id, 1200)).returning({ name: kinds.name });
  });
  await take("deletes (delete)", async () => {
    await db.insert(kinds).values({ id: 1300 });
    return (await db.delete(kinds).where(eq(kinds.id, 1300))).rowCount;
  });
  await take("inserts or updates (onConflictDoUpdate)", () =>
    db.insert(kinds).values({ id: 1720, big: 1 }).onConflictDoUpdate({ target: kinds.id, set: { big: 2 } }).returning()
  );
  await take("updates in a block (transaction)", async () => {
    await db.insert(kinds).values({ id: 1270, name: "before" });
    return db.transaction(async (block) => (await block.update(kinds).set({ name: "after" }).where(eq(kinds.id, 1270))).rowCount);
  });
  await take("commits (transaction)", async () => {
    await db.transaction(async (block) => {
      await block.insert(kinds).values({ id: 1400 });
      await block.insert(kinds).values({ id: 1401 });
    });
    return db.$count(kinds, inArray(kinds.id, [1400, 1401]));
  });
  await take("rolls back (rollback)", async () => {
    await db
      .transaction(async (block) => {
        await block.insert(kinds).values({ id: 1500 });
        block.rollback();
      })
      .catch(() => undefined);
    return db.$count(kinds, eq(kinds.id, 1500));
  });
});
