// TypeORM: an entity of a table that is there, its repository, and its query builder.
"use strict";

require("reflect-metadata");
const { Between, DataSource, EntitySchema, In, LessThanOrEqual } = require("typeorm");
const { place, run, take } = require("./steps");

const Kind = new EntitySchema({
  name: "Kind",
  tableName: "kinds",
  columns: {
    id: { type: "int", primary: true },
    yes: { type: "boolean", nullable: true },
    big: { type: "bigint", nullable: true },
    price: { type: "numeric", precision: 12, scale: 3, nullable: true },
    name: { type: "varchar", length: 40, nullable: true },
    day: { type: "date", nullable: true },
  },
});

async function rollsBack(source) {
  const runner = source.createQueryRunner();
  await runner.startTransaction();
  await runner.manager.insert(Kind, { id: 1500 });
  await runner.rollbackTransaction();
  await runner.release();
}

run(async () => {
  const source = new DataSource({
    type: "postgres", host: place.host, port: place.port, username: place.user, database: place.database,
    entities: [Kind], synchronize: false, installExtensions: false,
  });
  await take("connects (initialize)", async () => {
    await source.initialize();
    return source.isInitialized;
  });
  const kinds = source.getRepository(Kind);
  const rows = { id: LessThanOrEqual(200) };
  await take("reads the catalogue (getTable)", async () => {
    const runner = source.createQueryRunner();
    const table = await runner.getTable("kinds");
    await runner.release();
    return table.columns.map((column) => [column.name, column.type, column.isNullable, column.isPrimary]);
  });
  await take("looks up (find)", () => kinds.find({ where: { ...rows, name: "n3" }, order: { id: "DESC" } }));
  await take("looks up by key (findOneBy)", () => kinds.findOneBy({ id: 7 }));
  await take("counts (count)", () => kinds.countBy({ ...rows, yes: true }));
  await take("asks whether there is one (exists)", () => kinds.existsBy({ name: "n3" }));
  await take("reads pages (findAndCount)", () =>
    kinds.findAndCount({ where: rows, order: { id: "ASC" }, skip: 60, take: 9 })
  );
  await take("groups (createQueryBuilder)", () =>
    kinds.createQueryBuilder("k").select("k.name", "name").addSelect("COUNT(*)", "n").addSelect("SUM(k.big)", "total")
      .where("k.id <= :end", { end: 200 }).groupBy("k.name").orderBy("k.name").getRawMany()
  );
  await take("inserts (insert)", async () => {
    await kinds.insert({ id: 1000, name: "it's", price: "12.500" });
    return kinds.findOneBy({ id: 1000 });
  });
  await take("saves a new object (save)", () => kinds.save({ id: 1010, name: "saved" }));
  await take("inserts many (insert)", async () => {
    await kinds.insert(Array.from({ length: 20 }, (_, at) => ({ id: 1100 + at, big: String(at) })));
    return kinds.countBy({ id: Between(1100, 1199) });
  });
  await take("updates an object (save)", async () => {
    await kinds.insert({ id: 1200, name: "before" });
    const kind = await kinds.findOneBy({ id: 1200 });
    kind.name = "after";
    await kinds.save(kind);
    return kinds.findOneBy({ id: 1200 });
  });
  await take("updates many (update)", async () => {
    await kinds.insert([{ id: 1250 }, { id: 1251 }]);
    return (await kinds.update({ id: Between(1250, 1260) }, { name: "after" })).affected;
  });
  await take("removes an object (remove)", async () => {
    await kinds.insert({ id: 1300 });
    await kinds.remove(await kinds.findOneBy({ id: 1300 }));
    return kinds.countBy({ id: 1300 });
  });
  await take("deletes (delete)", async () => {
    await kinds.insert({ id: 1310 });
    return (await kinds.delete({ id: 1310 })).affected;
  });
  await take("inserts or updates (upsert)", async () => {
    await kinds.upsert({ id: 1720, big: "1" }, ["id"]);
    return kinds.findOneBy({ id: 1720 });
  });
  await take("commits (transaction)", async () => {
    await source.transaction(async (manager) => {
      await manager.insert(Kind, { id: 1400 });
      await manager.insert(Kind, { id: 1401 });
    });
    return kinds.countBy({ id: In([1400, 1401]) });
  });
  await take("rolls back (rollbackTransaction)", async () => {
    await rollsBack(source);
    return kinds.countBy({ id: 1500 });
  });
});
