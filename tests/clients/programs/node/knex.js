// Knex with node-postgres: its query builder, streams and transactions.
"use strict";

const { place, run, take } = require("./steps");
const knex = require("knex")({ client: "pg", connection: place, pool: { min: 0, max: 3 } });

async function streams() {
  let sum = 0;
  for await (const row of knex("kinds").select("id").where("id", "<=", 200).stream({ batchSize: 50 })) {
    sum += row.id;
  }
  return sum;
}

run(async () => {
  const rows = () => knex("kinds").where("id", "<=", 200);
  await take("connects", async () => (await knex.raw("SELECT 1 AS one")).rows);
  await take("reads the catalogue (columnInfo)", () => knex("kinds").columnInfo());
  await take("asks for a table (hasTable)", () => knex.schema.hasTable("kinds"));
  await take("looks up (where)", () =>
    rows().select("id", "price").whereIn("name", ["n3", "n5"]).andWhere("big", ">", 900).orderBy("id", "desc")
  );
  await take("looks up by key (first)", () => knex("kinds").where({ id: 7 }).first("name"));
  await take("counts (count)", () => rows().count({ n: "*" }));
  await take("counts distinct values (countDistinct)", () => rows().countDistinct("name"));
  await take("asks whether there is one (whereExists)", () =>
    knex.select(knex.raw("1 AS one")).whereExists(rows().where({ name: "n3" }))
  );
  await take("reads pages (limit, offset)", () => rows().select("id").orderBy("id").limit(9).offset(60));
  await take("groups (groupBy)", () => rows().select("name").sum("big").groupBy("name").orderBy("name"));
  await take("reads in portions (stream)", streams);
  await take("inserts (insert)", () => knex("kinds").insert({ id: 1000, name: "it's" }).returning(["id", "name"]));
  await take("inserts many (batchInsert)", async () => {
    const many = Array.from({ length: 20 }, (_, at) => ({ id: 1100 + at, big: at }));
    await knex.batchInsert("kinds", many, 10);
    return knex("kinds").whereBetween("id", [1100, 1199]).count();
  });
  await take("updates (update)", async () => {
    await knex("kinds").insert({ id: 1200, name: "before" });
    return [await knex("kinds").where({ id: 1200 }).update({ name: "after" }), await knex("kinds").where({ id: 1200 })];
  });
  await take("adds to a column (increment)", async () => {
    await knex("kinds").insert({ id: 1210, big: 1 });
    return knex("kinds").where({ id: 1210 }).increment("big", 4);
  });
  await take("updates in a block (transaction)", async () => {
    await knex("kinds").insert({ id: 1270, name: "before" });
    return knex.transaction((block) => block("kinds").where({ id: 1270 }).update({ name: "after" }));
  });
  await take("deletes (del)", async () => {
    await knex("kinds").insert({ id: 1300 });
    return knex("kinds").where({ id: 1300 }).del();
  });
  await take("inserts or updates (onConflict, merge)", () =>
    knex("kinds").insert({ id: 1720, big: 1 }).onConflict("id").merge()
  );
  await take("commits (transaction)", async () => {
    await knex.transaction(async (block) => {
      await block("kinds").insert({ id: 1400 });
      await block("kinds").insert({ id: 1401 });
    });
    return knex("kinds").whereIn("id", [1400, 1401]).count();
  });
  await take("rolls back (rollback)", async () => {
    const block = await knex.transaction();
    await block("kinds").insert({ id: 1500 });
    await block.rollback();
    return knex("kinds").where({ id: 1500 }).count();
  });
});
