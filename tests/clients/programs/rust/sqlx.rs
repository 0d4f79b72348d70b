//! sqlx with its pool: it prepares each statement and reads values in binary.

mod steps;

use futures_util::TryStreamExt;
use serde_json::json;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{FromRow, Row};
use steps::{place, take, Outcome};

#[derive(FromRow)]
struct Kind {
    id: i32,
    big: Option<i64>,
    name: Option<String>,
}

fn told(error: sqlx::Error) -> (String, String) {
    match error.as_database_error() {
        Some(said) => (said.code().unwrap_or_default().into_owned(), said.message().to_owned()),
        None => ("error".to_owned(), error.to_string()),
    }
}

async fn count(pool: &PgPool, condition: &str) -> Outcome {
    let sql = format!("SELECT count(*) FROM kinds WHERE {condition}");
    let found: i64 = sqlx::query_scalar(&sql).fetch_one(pool).await.map_err(told)?;
    Ok(json!(found))
}

async fn run(pool: &PgPool, sql: &str) -> Outcome {
    let done = sqlx::query(sql).execute(pool).await.map_err(told)?;
    Ok(json!(done.rows_affected()))
}

async fn looks_up(pool: &PgPool) -> Outcome {
    let sql = "SELECT id, big, name FROM kinds WHERE name = $1 AND big > $2 AND id <= 200 ORDER BY id";
    let found: Vec<Kind> = sqlx::query_as(sql).bind("n3").bind(900_i64).fetch_all(pool).await.map_err(told)?;
    Ok(json!(found.iter().map(|kind| json!([kind.id, kind.big, kind.name])).collect::<Vec<_>>()))
}

async fn looks_up_list(pool: &PgPool) -> Outcome {
    let sql = "SELECT count(*) FROM kinds WHERE id = ANY($1)";
    let found: i64 = sqlx::query_scalar(sql).bind(vec![1, 2, 3]).fetch_one(pool).await.map_err(told)?;
    Ok(json!(found))
}

async fn streams(pool: &PgPool) -> Outcome {
    let mut rows = sqlx::query("SELECT id FROM kinds WHERE id <= $1").bind(200).fetch(pool);
    let mut sum = 0;
    while let Some(row) = rows.try_next().await.map_err(told)? {
        sum += row.get::<i32, _>(0);
    }
    Ok(json!(sum))
}

async fn exists(pool: &PgPool) -> Outcome {
    let sql = "SELECT EXISTS (SELECT 1 FROM kinds WHERE name = $1)";
    let found: bool = sqlx::query_scalar(sql).bind("n3").fetch_one(pool).await.map_err(told)?;
    Ok(json!(found))
}

async fn inserts(pool: &PgPool) -> Outcome {
    let sql = "INSERT INTO kinds (id, name) VALUES ($1, $2) RETURNING name";
    let found: String = sqlx::query_scalar(sql).bind(1000).bind("it's").fetch_one(pool).await.map_err(told)?;
    Ok(json!(found))
}

async fn inserts_many(pool: &PgPool) -> Outcome {
    let mut builder = sqlx::QueryBuilder::<sqlx::Postgres>::new("INSERT INTO kinds (id, big) ");
    builder.push_values(0..20, |mut row, at| {
        row.push_bind(1100 + at).push_bind(i64::from(at));
    });
    builder.build().execute(pool).await.map_err(told)?;
    count(pool, "id BETWEEN 1100 AND 1119").await
}

async fn inserts_arrays(pool: &PgPool) -> Outcome {
    let sql = "INSERT INTO kinds (id, big) SELECT * FROM UNNEST($1::int[], $2::bigint[])";
    let (ids, bigs): (Vec<i32>, Vec<i64>) = ((1150..1160).collect(), (0..10).collect());
    sqlx::query(sql).bind(ids).bind(bigs).execute(pool).await.map_err(told)?;
    count(pool, "id BETWEEN 1150 AND 1159").await
}

async fn updates(pool: &PgPool) -> Outcome {
    run(pool, "INSERT INTO kinds (id, name) VALUES (1200, 'before')").await?;
    let update = sqlx::query("UPDATE kinds SET name = $1 WHERE id = $2").bind("after").bind(1200);
    Ok(json!(update.execute(pool).await.map_err(told)?.rows_affected()))
}

async fn updates_in_block(pool: &PgPool) -> Outcome {
    run(pool, "INSERT INTO kinds (id, name) VALUES (1270, 'before')").await?;
    let mut block = pool.begin().await.map_err(told)?;
    let update = sqlx::query("UPDATE kinds SET name = $1 WHERE id = $2").bind("after").bind(1270);
    let done = update.execute(&mut *block).await.map_err(told)?;
    block.commit().await.map_err(told)?;
    Ok(json!(done.rows_affected()))
}

async fn deletes(pool: &PgPool) -> Outcome {
    run(pool, "INSERT INTO kinds (id) VALUES (1300)").await?;
    run(pool, "DELETE FROM kinds WHERE id = 1300").await
}

async fn block(pool: &PgPool, ids: [i32; 2], commit: bool) -> Outcome {
    let mut block = pool.begin().await.map_err(told)?;
    for id in ids {
        let insert = sqlx::query("INSERT INTO kinds (id) VALUES ($1)").bind(id);
        insert.execute(&mut *block).await.map_err(told)?;
    }
    if commit { block.commit().await } else { block.rollback().await }.map_err(told)?;
    count(pool, &format!("id IN ({}, {})", ids[0], ids[1])).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let [host, port, user, database] = place();
    let options = PgConnectOptions::new().host(&host).port(port.parse().expect("a port")).username(&user);
    let pool = PgPoolOptions::new().max_connections(2).connect_lazy_with(options.database(&database));
    let connected = pool.acquire().await.map(|_| json!(null)).map_err(told);
    take("connects (acquire)", connected);
    take("looks up (query_as)", looks_up(&pool).await);
    take("looks up a list (= ANY)", looks_up_list(&pool).await);
    take("counts (query_scalar)", count(&pool, "id <= 200").await);
    take("asks whether there is one (EXISTS)", exists(&pool).await);
    take("reads one by one (fetch)", streams(&pool).await);
    take("inserts (RETURNING)", inserts(&pool).await);
    take("inserts many (push_values)", inserts_many(&pool).await);
    take("inserts arrays (SELECT FROM UNNEST)", inserts_arrays(&pool).await);
    take("updates (execute)", updates(&pool).await);
    take("updates in a block (begin, commit)", updates_in_block(&pool).await);
    take("deletes (execute)", deletes(&pool).await);
    take("commits (commit)", block(&pool, [1400, 1401], true).await);
    take("rolls back (rollback)", block(&pool, [1500, 1501], false).await);
}
