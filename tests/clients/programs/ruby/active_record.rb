# ActiveRecord: a model of a table that is there, with the settings that a Rails application starts with.

require "active_record"
require_relative "steps"

ActiveRecord::Base.establish_connection(
  adapter: "postgresql", host: PLACE[:host], port: PLACE[:port], username: PLACE[:user], database: PLACE[:database], pool: 3
)

# A row of the table.
class Kind < ActiveRecord::Base
  self.table_name = "kinds"
  scope :few, -> { where(id: ..200) }
end

take("connects") { Kind.connection.active? }
take("reads the catalogue (columns, primary_key)") do
  [Kind.primary_key, Kind.columns.map { |column| [column.name, column.sql_type, column.null] }, Kind.connection.tables]
end
take("looks up (where, order)") { Kind.few.where(name: %w[n3 n5]).where("big > ?", 900).order(id: :desc).map { |kind| [kind.id, kind.price] } }
take("looks up by key (find)") { Kind.find(7).name }
take("takes a column (pluck)") { Kind.few.where(yes: true).order(:id).limit(5).pluck(:id, :day) }
take("counts (count)") { Kind.few.count }
take("counts distinct rows (distinct, limit, count)") { Kind.few.select(:name).distinct.limit(3).count }
take("asks whether there is one (exists?)") { Kind.exists?(name: "n3") }
take("groups (group, count)") { Kind.few.group(:name).order(:name).count }
take("groups (group, sum)") { Kind.few.group(:name).order(:name).sum(:big) }
take("reads pages (limit, offset)") { Kind.few.order(:id).limit(9).offset(60).ids }
take("reads in batches (find_each)") { Kind.few.find_each(batch_size: 50).sum(&:id) }
take("inserts (create!)") { Kind.create!(id: 1000, name: "it's", price: 12.5).attributes.slice("id", "name", "price") }
take("inserts many (insert_all!)") do
  Kind.insert_all!(Array.new(20) { |at| { id: 1100 + at, big: at } })
  Kind.where(id: 1100..1119).count
end
take("inserts many or passes over (insert_all)") do
  Kind.insert_all(Array.new(20) { |at| { id: 1120 + at, big: at } })
  Kind.where(id: 1120..1139).count
end
take("inserts or updates (upsert)") { Kind.upsert({ id: 1720, big: 1 }).length }
take("updates an object (save!)") do
  kind = Kind.create!(id: 1200, name: "before")
  kind.name = "after"
  kind.save!
  Kind.find(1200).name
end
take("updates an object (update_column)") do
  Kind.create!(id: 1210, name: "before").update_column(:name, "after")
end
take("updates many (update_all)") do
  Kind.create!(id: 1250, name: "before")
  Kind.where(id: 1250..1260).update_all(name: "after")
end
take("deletes an object (destroy!)") do
  Kind.create!(id: 1300).destroy!
  Kind.where(id: 1300).count
end
take("deletes many (delete_all)") do
  Kind.create!(id: 1310)
  Kind.where(id: 1310).delete_all
end
take("inserts what is not there (find_or_create_by!)") { Kind.find_or_create_by!(id: 1700) { |kind| kind.name = "new" }.name }
take("locks a row (lock)") { Kind.transaction { Kind.lock.find(7).name } }
take("commits (transaction)") do
  Kind.transaction { [1400, 1401].each { |id| Kind.create!(id: id) } }
  Kind.where(id: [1400, 1401]).count
end
take("nests blocks (transaction with requires_new)") do
  Kind.transaction { Kind.transaction(requires_new: true) { Kind.create!(id: 1601) } }
  Kind.where(id: 1601).count
end
take("rolls back (Rollback)") do
  Kind.transaction do
    Kind.create!(id: 1500)
    raise ActiveRecord::Rollback
  end
  Kind.where(id: 1500).count
end
take("explains (explain)") { Kind.few.explain.include?("EXPLAIN") }
take("resets its connection (reset!)") do
  Kind.connection.reset!
  Kind.few.count
end
