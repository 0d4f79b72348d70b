//! tokio-postgres: it prepares each statement and reads values in binary.

mod steps;

use serde_json::json;
use steps::{place, take, Outcome};
use tokio_postgres::{Client, Error, NoTls};

fn told(error: Error) -> (String, String) {
    match error.as_db_error() {
        Some(said) => (said.code().code().to_owned(), said.message().to_owned()),
        None => ("error".to_owned(), error.to_string()),
    }
}

async fn count(client: &Client, condition: &str) -> Outcome {
    let sql = format!("SELECT count(*) FROM kinds WHERE {condition}");
    let row = client.query_one(&sql, &[]).await.map_err(told)?;
    Ok(json!(row.get::<_, i64>(0)))
}

async fn looks_up(client: &Client) -> Outcome {
    let sql = "SELECT id, big, name FROM kinds WHERE name = $1 AND big > $2 AND id <= 200 ORDER BY id";
    let rows = client.query(sql, &[&"n3", &900_i64]).await.map_err(told)?;
    let kinds = rows.iter().map(|row| json!([row.get::<_, i32>(0), row.get::<_, i64>(1), row.get::<_, String>(2)]));
    Ok(json!(kinds.collect::<Vec<_>>()))
}

async fn prepares(client: &Client) -> Outcome {
    let statement = client.prepare("SELECT name FROM kinds WHERE id = $1").await.map_err(told)?;
    let mut found = vec![];
    for id in [1, 2] {
        found.push(client.query_one(&statement, &[&id]).await.map_err(told)?.get::<_, String>(0));
    }
    Ok(json!(found))
}

async fn portions(client: &mut Client) -> Outcome {
    let block = client.transaction().await.map_err(told)?;
    let portal = block.bind("SELECT id FROM kinds WHERE id <= $1", &[&200]).await.map_err(told)?;
    let mut sum = 0;
    loop {
        let rows = block.query_portal(&portal, 50).await.map_err(told)?;
        if rows.is_empty() {
            break;
        }
        sum += rows.iter().map(|row| row.get::<_, i32>(0)).sum::<i32>();
    }
    block.commit().await.map_err(told)?;
    Ok(json!(sum))
}

async fn inserts(client: &Client) -> Outcome {
    let sql = "INSERT INTO kinds (id, name) VALUES ($1, $2)";
    Ok(json!(client.execute(sql, &[&1000, &"it's"]).await.map_err(told)?))
}

async fn updates(client: &Client) -> Outcome {
    client.execute("INSERT INTO kinds (id, name) VALUES (1200, 'before')", &[]).await.map_err(told)?;
    let sql = "UPDATE kinds SET name = $1 WHERE id = $2";
    Ok(json!(client.execute(sql, &[&"after", &1200]).await.map_err(told)?))
}

async fn updates_in_block(client: &mut Client) -> Outcome {
    client.execute("INSERT INTO kinds (id, name) VALUES (1270, 'before')", &[]).await.map_err(told)?;
    let block = client.transaction().await.map_err(told)?;
    let sql = "UPDATE kinds SET name = $1 WHERE id = $2";
    let changed = block.execute(sql, &[&"after", &1270]).await.map_err(told)?;
    block.commit().await.map_err(told)?;
    Ok(json!(changed))
}

async fn deletes(client: &Client) -> Outcome {
    client.execute("INSERT INTO kinds (id) VALUES (1300)", &[]).await.map_err(told)?;
    Ok(json!(client.execute("DELETE FROM kinds WHERE id = $1", &[&1300]).await.map_err(told)?))
}

async fn block(client: &mut Client, ids: [i32; 2], commit: bool) -> Outcome {
    let block = client.transaction().await.map_err(told)?;
    for id in ids {
        block.execute("INSERT INTO kinds (id) VALUES ($1)", &[&id]).await.map_err(told)?;
    }
    if commit { block.commit().await } else { block.rollback().await }.map_err(told)?;
    count(client, &format!("id IN ({}, {})", ids[0], ids[1])).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let [host, port, user, database] = place();
    let words = format!("host={host} port={port} user={user} dbname={database}");
    let (mut client, connection) = match tokio_postgres::connect(&words, NoTls).await {
        Ok(connected) => connected,
        Err(error) => return take("connects (connect)", Err(told(error))),
    };
    tokio::spawn(connection);
    take("connects (connect)", Ok(json!(null)));
    take("looks up (query)", looks_up(&client).await);
    take("counts (query_one)", count(&client, "id <= 200").await);
    take("prepares (prepare)", prepares(&client).await);
    take("reads in portions (query_portal)", portions(&mut client).await);
    take("inserts (execute)", inserts(&client).await);
    take("updates (execute)", updates(&client).await);
    take("updates in a block (transaction)", updates_in_block(&mut client).await);
    take("deletes (execute)", deletes(&client).await);
    take("commits (commit)", block(&mut client, [1400, 1401], true).await);
    take("rolls back (rollback)", block(&mut client, [1500, 1501], false).await);
}
