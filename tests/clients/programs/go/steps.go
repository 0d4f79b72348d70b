package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
)

// Where the server is, in the words of a connection string.
var place = fmt.Sprintf("host=%s port=%s user=%s dbname=%s sslmode=disable",
	os.Getenv("PGHOST"), os.Getenv("PGPORT"), os.Getenv("PGUSER"), os.Getenv("PGDATABASE"))

type withState interface{ SQLState() string }

// take runs one step and prints it as a line of JSON: its answer, or its error.
func take(name string, step func() (any, error)) {
	answer, err := step()
	line := map[string]any{"step": name, "answer": answer}
	if err != nil {
		line = map[string]any{"step": name, "code": "error", "message": err.Error()}
		var told withState
		if errors.As(err, &told) {
			line["code"] = told.SQLState()
			line["message"] = regexp.MustCompile(`^(pq|ERROR): | \((SQLSTATE )?\w{5}\)$`).ReplaceAllString(err.Error(), "")
		}
	}
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}
