//! Takes the steps of a program one after the other and prints each as a line of JSON: its answer, or its error.

use serde_json::{json, Value};

/// Where the server is: host, port, user and database.
pub fn place() -> [String; 4] {
    ["PGHOST", "PGPORT", "PGUSER", "PGDATABASE"].map(|name| std::env::var(name).expect(name))
}

/// What a step came to; of an error its code and message.
pub type Outcome = Result<Value, (String, String)>;

/// Prints a step.
pub fn take(step: &str, outcome: Outcome) {
    let line = match outcome {
        Ok(answer) => json!({"step": step, "answer": answer}),
        Err((code, message)) => json!({"step": step, "code": code, "message": message}),
    };
    println!("{line}");
}
