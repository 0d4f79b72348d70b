# Takes the steps of a program one after the other and prints each as a line of JSON: its answer, or its error.

require "json"

PLACE = { host: ENV["PGHOST"], port: ENV["PGPORT"].to_i, user: ENV["PGUSER"], database: ENV["PGDATABASE"] }

def take(step)
  line = { step: step, answer: yield }
rescue StandardError => e
  cause = e
  cause = cause.cause while cause.cause && !cause.respond_to?(:result)
  code = cause.respond_to?(:result) && cause.result ? cause.result.error_field(PG::Result::PG_DIAG_SQLSTATE) : e.class.name
  line = { step: step, code: code, message: e.message.lines.first.to_s.sub(/\APG::\w+: ERROR: */, "").strip }
ensure
  puts JSON.generate(line)
end
