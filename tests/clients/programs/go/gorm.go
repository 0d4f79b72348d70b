// gorm over pgx, with its default transactions around writes.
package main

import (
	"errors"

	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
)

// Kind is a row of the table, some of its columns.
type Kind struct {
	ID   int32 `gorm:"primaryKey;autoIncrement:false"`
	Yes  *bool
	Big  *int64
	Name *string
}

func text(value string) *string { return &value }
func number(value int64) *int64 { return &value }
func (Kind) TableName() string  { return "kinds" }

func main() {
	db, err := gorm.Open(postgres.Open(place), &gorm.Config{Logger: logger.Discard})
	take("connects (Open)", func() (any, error) { return nil, err })
	rows := func() *gorm.DB { return db.Model(&Kind{}).Where("id <= ?", 200) }
	count := func(query string, values ...any) (any, error) {
		var found int64
		err := db.Model(&Kind{}).Where(query, values...).Count(&found).Error
		return found, err
	}
	take("reads the catalogue (Migrator)", func() (any, error) {
		types, err := db.Migrator().ColumnTypes(&Kind{})
		found := []string{}
		for _, each := range types {
			found = append(found, each.Name()+" "+each.DatabaseTypeName())
		}
		return []any{db.Migrator().HasTable("kinds"), db.Migrator().HasColumn(&Kind{}, "name"), found}, err
	})
	take("looks up (Where, Find)", func() (any, error) {
		var found []Kind
		err := rows().Where("name = ? AND big > ?", "n3", 900).Order("id DESC").Find(&found).Error
		return found, err
	})
	take("looks up by key (First)", func() (any, error) {
		var found Kind
		err := db.First(&found, 7).Error
		return found, err
	})
	take("counts (Count)", func() (any, error) { return count("id <= ?", 200) })
	take("counts distinct values (Distinct, Count)", func() (any, error) {
		var found int64
		err := rows().Distinct("name").Count(&found).Error
		return found, err
	})
	take("reads pages (Limit, Offset)", func() (any, error) {
		var found []int32
		err := rows().Order("id").Limit(9).Offset(60).Pluck("id", &found).Error
		return found, err
	})
	take("groups (Group, Scan)", func() (any, error) {
		var found []map[string]any
		err := rows().Select("name, count(*) AS n").Group("name").Order("name").Scan(&found).Error
		return found, err
	})
	take("reads in batches (FindInBatches)", func() (any, error) {
		var found []Kind
		sum := int32(0)
		err := rows().FindInBatches(&found, 50, func(*gorm.DB, int) error {
			for _, each := range found {
				sum += each.ID
			}
			return nil
		}).Error
		return sum, err
	})
	take("inserts (Create)", func() (any, error) { return nil, db.Create(&Kind{ID: 1000, Name: text("it's")}).Error })
	take("inserts many (CreateInBatches)", func() (any, error) {
		many := []Kind{}
		for at := range int32(20) {
			many = append(many, Kind{ID: 1100 + at, Big: number(int64(at))})
		}
		if err := db.CreateInBatches(many, 10).Error; err != nil {
			return nil, err
		}
		return count("id BETWEEN ? AND ?", 1100, 1119)
	})
	take("updates an object (Save)", func() (any, error) {
		kind := Kind{ID: 1200, Name: text("before")}
		if err := db.Create(&kind).Error; err != nil {
			return nil, err
		}
		kind.Name = text("after")
		result := db.Save(&kind)
		return result.RowsAffected, result.Error
	})
	take("updates many (Updates)", func() (any, error) {
		if err := db.Create(&Kind{ID: 1250}).Error; err != nil {
			return nil, err
		}
		result := db.Model(&Kind{}).Where("id BETWEEN ? AND ?", 1250, 1260).Updates(map[string]any{"name": "after"})
		return result.RowsAffected, result.Error
	})
	take("deletes (Delete)", func() (any, error) {
		if err := db.Create(&Kind{ID: 1300}).Error; err != nil {
			return nil, err
		}
		result := db.Delete(&Kind{}, 1300)
		return result.RowsAffected, result.Error
	})
	take("inserts what is not there (FirstOrCreate)", func() (any, error) {
		kind := Kind{}
		return kind.ID, db.Where(Kind{ID: 1700}).Attrs(Kind{Name: text("new")}).FirstOrCreate(&kind).Error
	})
	take("inserts or updates (OnConflict)", func() (any, error) {
		return nil, db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&Kind{ID: 1720, Big: number(1)}).Error
	})
	take("commits (Transaction)", func() (any, error) {
		err := db.Transaction(func(block *gorm.DB) error {
			if err := block.Create(&Kind{ID: 1400}).Error; err != nil {
				return err
			}
			return block.Create(&Kind{ID: 1401}).Error
		})
		if err != nil {
			return nil, err
		}
		return count("id IN ?", []int{1400, 1401})
	})
	take("nests blocks (Transaction in Transaction)", func() (any, error) {
		err := db.Transaction(func(block *gorm.DB) error {
			return block.Transaction(func(inner *gorm.DB) error { return inner.Create(&Kind{ID: 1601}).Error })
		})
		if err != nil {
			return nil, err
		}
		return count("id = ?", 1601)
	})
	take("rolls back (Transaction)", func() (any, error) {
		wanted := errors.New("rolled back")
		err := db.Transaction(func(block *gorm.DB) error {
			if err := block.Create(&Kind{ID: 1500}).Error; err != nil {
				return err
			}
			return wanted
		})
		if err != nil && !errors.Is(err, wanted) {
			return nil, err
		}
		return count("id = ?", 1500)
	})
}
