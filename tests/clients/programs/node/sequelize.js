// Sequelize: a model of a table that is there, with the settings that it starts with.
"use strict";

const { DataTypes, Op, Sequelize } = require("sequelize");
const { place, run, take } = require("./steps");

const sequelize = new Sequelize(place.database, place.user, "", {
  host: place.host, port: place.port, dialect: "postgres", logging: false,
});
const Kind = sequelize.define(
  "Kind",
  {
    id: { type: DataTypes.INTEGER, primaryKey: true },
    yes: DataTypes.BOOLEAN,
    big: DataTypes.BIGINT,
    price: DataTypes.DECIMAL(12, 3),
    name: DataTypes.STRING(40),
    day: DataTypes.DATEONLY,
  },
  { tableName: "kinds", timestamps: false }
);
const plain = { raw: true };
const rows = { id: { [Op.lte]: 200 } };
const within = (low, high) => ({ id: { [Op.between]: [low, high] } });

run(async () => {
  await take("connects (authenticate)", () => sequelize.authenticate());
  await take("reads the catalogue (describe)", () => Kind.describe());
  await take("looks up (findAll)", () => Kind.findAll({ where: { ...rows, name: "n3" }, order: [["id", "DESC"]], ...plain }));
  await take("looks up by key (findByPk)", () => Kind.findByPk(7, plain));
  await take("counts (count)", () => Kind.count({ where: { ...rows, yes: true } }));
  await take("reads pages (findAndCountAll)", () =>
    Kind.findAndCountAll({ where: rows, order: ["id"], offset: 60, limit: 9, ...plain })
  );
  await take("groups (group)", () =>
    Kind.findAll({
      where: rows, attributes: ["name", [sequelize.fn("COUNT", "*"), "n"]], group: ["name"], order: ["name"], ...plain,
    })
  );
  await take("inserts (create)", async () => {
    await Kind.create({ id: 1000, name: "it's", price: "12.500" });
    return Kind.findByPk(1000, plain);
  });
  await take("inserts many (bulkCreate)", async () => {
    await Kind.bulkCreate(Array.from({ length: 20 }, (_, at) => ({ id: 1100 + at, big: at })));
    return Kind.count({ where: within(1100, 1199) });
  });
  await take("updates an object (save)", async () => {
    const kind = await Kind.create({ id: 1200, name: "before" });
    kind.name = "after";
    await kind.save();
    return Kind.findByPk(1200, plain);
  });
  await take("updates many (update)", async () => {
    await Kind.create({ id: 1250 });
    return Kind.update({ name: "after" }, { where: within(1250, 1260) });
  });
  await take("adds to a column (increment)", async () => {
    const kind = await Kind.create({ id: 1210, big: 1 });
    await kind.increment("big", { by: 4 });
    return Kind.findByPk(1210, plain);
  });
  await take("deletes (destroy)", async () => {
    await Kind.create({ id: 1300 });
    return Kind.destroy({ where: { id: 1300 } });
  });
  await take("inserts what is not there (findOrCreate)", async () => {
    const [kind, created] = await Kind.findOrCreate({ where: { id: 1700 }, defaults: { name: "new" } });
    return [kind.name, created];
  });
  await take("inserts or updates (upsert)", async () => {
    await Kind.upsert({ id: 1720, big: 1 });
    return Kind.findByPk(1720, plain);
  });
  await take("commits (transaction)", async () => {
    await sequelize.transaction(async (transaction) => {
      await Kind.create({ id: 1400 }, { transaction });
      await Kind.create({ id: 1401 }, { transaction });
    });
    return Kind.count({ where: within(1400, 1401) });
  });
  await take("rolls back (rollback)", async () => {
    const transaction = await sequelize.transaction();
    await Kind.create({ id: 1500 }, { transaction });
    await transaction.rollback();
    return Kind.count({ where: { id: 1500 } });
  });
});
