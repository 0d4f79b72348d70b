import java.util.Arrays;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;

/** Flyway over pgjdbc: what it asks before it migrates, and a migration, which keeps its history in a table. */
public final class FlywaySteps {
    private FlywaySteps() {}

    public static void main(String[] arguments) {
        Flyway flyway = Flyway.configure().dataSource(Steps.url(), Steps.user(), null)
            .baselineOnMigrate(true).loggers("slf4j").failOnMissingLocations(false).load();
        Steps.take("asks for migrations (info)", () -> Arrays.stream(flyway.info().all()).map(MigrationInfo::getDescription).toList());
        Steps.take("validates (validate)", () -> {
            flyway.validate();
            return true;
        });
        Steps.take("migrates (migrate)", () -> flyway.migrate().migrationsExecuted);
    }
}
