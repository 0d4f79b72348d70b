// pgx with its pool: it prepares each statement and reads values in binary.
package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

var ctx = context.Background()

type kind struct {
	ID    int32
	Price *float64
	Name  *string
}

func count(db *pgxpool.Pool, condition string, values ...any) (any, error) {
	var found int64
	err := db.QueryRow(ctx, "SELECT count(*) FROM kinds WHERE "+condition, values...).Scan(&found)
	return found, err
}

func affected(tag pgconn.CommandTag, err error) (any, error) { return tag.RowsAffected(), err }

func main() {
	db, err := pgxpool.New(ctx, place)
	if err != nil {
		panic(err)
	}
	defer db.Close()
	take("connects (Ping)", func() (any, error) { return nil, db.Ping(ctx) })
	take("looks up (Query, CollectRows)", func() (any, error) {
		rows, err := db.Query(ctx, "SELECT id, price, name FROM kinds WHERE name = $1 AND big > $2 AND id <= 200 ORDER BY id", "n3", 900)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, pgx.RowToStructByPos[kind])
	})
	take("looks up a list (= ANY)", func() (any, error) { return count(db, "id = ANY($1)", []int32{1, 2, 3}) })
	take("counts (QueryRow)", func() (any, error) { return count(db, "id <= $1", 200) })
	take("asks whether there is one (EXISTS)", func() (any, error) {
		var found bool
		err := db.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM kinds WHERE name = $1)", "n3").Scan(&found)
		return found, err
	})
	take("inserts (Exec)", func() (any, error) {
		return affected(db.Exec(ctx, "INSERT INTO kinds (id, name) VALUES ($1, $2)", 1000, "it's"))
	})
	take("inserts many (Batch)", func() (any, error) {
		batch := &pgx.Batch{}
		for at := range 20 {
			batch.Queue("INSERT INTO kinds (id, big) VALUES ($1, $2)", 1100+at, at)
		}
		if err := db.SendBatch(ctx, batch).Close(); err != nil {
			return nil, err
		}
		return count(db, "id BETWEEN 1100 AND 1119")
	})
	take("copies (CopyFrom)", func() (any, error) {
		rows := [][]any{{int32(1180), "copied"}, {int32(1181), nil}}
		return db.CopyFrom(ctx, pgx.Identifier{"kinds"}, []string{"id", "name"}, pgx.CopyFromRows(rows))
	})
	take("updates (Exec)", func() (any, error) {
		if _, err := db.Exec(ctx, "INSERT INTO kinds (id, name) VALUES ($1, $2)", 1200, "before"); err != nil {
			return nil, err
		}
		return affected(db.Exec(ctx, "UPDATE kinds SET name = $1 WHERE id = $2", "after", 1200))
	})
	take("updates in a block (BeginFunc)", func() (any, error) {
		if _, err := db.Exec(ctx, "INSERT INTO kinds (id, name) VALUES ($1, $2)", 1270, "before"); err != nil {
			return nil, err
		}
		return nil, pgx.BeginFunc(ctx, db, func(block pgx.Tx) error {
			_, err := block.Exec(ctx, "UPDATE kinds SET name = $1 WHERE id = $2", "after", 1270)
			return err
		})
	})
	take("deletes (Exec)", func() (any, error) {
		if _, err := db.Exec(ctx, "INSERT INTO kinds (id) VALUES ($1)", 1300); err != nil {
			return nil, err
		}
		return affected(db.Exec(ctx, "DELETE FROM kinds WHERE id = $1", 1300))
	})
	take("commits (BeginFunc)", func() (any, error) {
		err := pgx.BeginFunc(ctx, db, func(block pgx.Tx) error {
			for _, id := range []int{1400, 1401} {
				if _, err := block.Exec(ctx, "INSERT INTO kinds (id) VALUES ($1)", id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		return count(db, "id IN (1400, 1401)")
	})
	take("nests blocks (Begin in Begin)", func() (any, error) {
		err := pgx.BeginFunc(ctx, db, func(block pgx.Tx) error {
			return pgx.BeginFunc(ctx, block, func(inner pgx.Tx) error {
				_, err := inner.Exec(ctx, "INSERT INTO kinds (id) VALUES ($1)", 1601)
				return err
			})
		})
		if err != nil {
			return nil, err
		}
		return count(db, "id = 1601")
	})
	take("rolls back (BeginFunc)", func() (any, error) {
		wanted := errors.New("rolled back")
		err := pgx.BeginFunc(ctx, db, func(block pgx.Tx) error {
			if _, err := block.Exec(ctx, "INSERT INTO kinds (id) VALUES ($1)", 1500); err != nil {
				return err
			}
			return wanted
		})
		if err != nil && !errors.Is(err, wanted) {
			return nil, err
		}
		return count(db, "id = 1500")
	})
}
