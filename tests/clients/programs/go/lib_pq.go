// lib/pq below database/sql, with its pool.
package main

import (
	"database/sql"

	"github.com/lib/pq"
)

func count(db *sql.DB, condition string, values ...any) (any, error) {
	var found int64
	err := db.QueryRow("SELECT count(*) FROM kinds WHERE "+condition, values...).Scan(&found)
	return found, err
}

func changed(result sql.Result, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return result.RowsAffected()
}

// inBlock runs statements in a transaction and ends it as told.
func inBlock(db *sql.DB, end func(*sql.Tx) error, statements ...string) error {
	block, err := db.Begin()
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if _, err := block.Exec(statement); err != nil {
			_ = block.Rollback()
			return err
		}
	}
	return end(block)
}

func commit(block *sql.Tx) error { return block.Commit() }

func main() {
	db, err := sql.Open("postgres", place)
	if err != nil {
		panic(err)
	}
	take("connects (Ping)", func() (any, error) { return nil, db.Ping() })
	take("looks up (Query)", func() (any, error) {
		rows, err := db.Query("SELECT id, price FROM kinds WHERE name = $1 AND big > $2 AND id <= 200 ORDER BY id", "n3", 900)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		found := [][]any{}
		for rows.Next() {
			var id int
			var price string
			if err := rows.Scan(&id, &price); err != nil {
				return nil, err
			}
			found = append(found, []any{id, price})
		}
		return found, rows.Err()
	})
	take("looks up a list (= ANY)", func() (any, error) { return count(db, "id = ANY($1)", pq.Array([]int{1, 2, 3})) })
	take("counts (QueryRow)", func() (any, error) { return count(db, "id <= $1", 200) })
	take("prepares (Prepare)", func() (any, error) {
		statement, err := db.Prepare("SELECT name FROM kinds WHERE id = $1")
		if err != nil {
			return nil, err
		}
		defer statement.Close()
		found := []string{}
		for _, id := range []int{1, 2} {
			var name string
			if err := statement.QueryRow(id).Scan(&name); err != nil {
				return nil, err
			}
			found = append(found, name)
		}
		return found, nil
	})
	take("inserts (Exec)", func() (any, error) {
		return changed(db.Exec("INSERT INTO kinds (id, name) VALUES ($1, $2)", 1000, "it's"))
	})
	take("copies (CopyIn)", func() (any, error) {
		block, err := db.Begin()
		if err != nil {
			return nil, err
		}
		statement, err := block.Prepare(pq.CopyIn("kinds", "id", "name"))
		if err != nil {
			return nil, err
		}
		for at := range 20 {
			if _, err := statement.Exec(1100+at, "copied"); err != nil {
				return nil, err
			}
		}
		if _, err := statement.Exec(); err != nil {
			return nil, err
		}
		if err := block.Commit(); err != nil {
			return nil, err
		}
		return count(db, "id BETWEEN 1100 AND 1119")
	})
	take("updates (Exec)", func() (any, error) {
		if _, err := db.Exec("INSERT INTO kinds (id, name) VALUES ($1, $2)", 1200, "before"); err != nil {
			return nil, err
		}
		return changed(db.Exec("UPDATE kinds SET name = $1 WHERE id = $2", "after", 1200))
	})
	take("updates in a block (Begin, Commit)", func() (any, error) {
		if _, err := db.Exec("INSERT INTO kinds (id, name) VALUES ($1, $2)", 1270, "before"); err != nil {
			return nil, err
		}
		return nil, inBlock(db, commit, "UPDATE kinds SET name = 'after' WHERE id = 1270")
	})
	take("deletes (Exec)", func() (any, error) {
		if _, err := db.Exec("INSERT INTO kinds (id) VALUES ($1)", 1300); err != nil {
			return nil, err
		}
		return changed(db.Exec("DELETE FROM kinds WHERE id = $1", 1300))
	})
	take("commits (Commit)", func() (any, error) {
		err := inBlock(db, commit, "INSERT INTO kinds (id) VALUES (1400)", "INSERT INTO kinds (id) VALUES (1401)")
		if err != nil {
			return nil, err
		}
		return count(db, "id IN (1400, 1401)")
	})
	take("rolls back (Rollback)", func() (any, error) {
		err := inBlock(db, func(block *sql.Tx) error { return block.Rollback() }, "INSERT INTO kinds (id) VALUES (1500)")
		if err != nil {
			return nil, err
		}
		return count(db, "id = 1500")
	})
}
