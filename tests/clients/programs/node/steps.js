// Takes the steps of a program one after the other and prints each as a line of JSON: its answer, or its error.
"use strict";

const place = {
  host: process.env.PGHOST,
  port: Number(process.env.PGPORT),
  user: process.env.PGUSER,
  database: process.env.PGDATABASE,
};

function told(error) {
  for (let each = error; each; each = each.cause || each.parent || each.original) {
    if (/^[0-9A-Z]{5}$/.test(each.code || "")) {
      // Knex and others put the statement in front of what the server says.
      return { code: each.code, message: each.message.split(" - ").pop() };
    }
  }
  return { code: error.name, message: String(error.message).split("\n")[0] };
}

async function take(step, action) {
  let line;
  try {
    const answer = await action();
    line = { step, answer: answer === undefined ? null : answer };
  } catch (error) {
    line = { step, ...told(error) };
  }
  console.log(JSON.stringify(line));
}

function run(main) {
  main().then(
    () => process.exit(0),
    (error) => {
      console.error(error.message);
      process.exit(1);
    }
  );
}

module.exports = { place, run, take };
