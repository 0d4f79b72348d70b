import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.hibernate.cfg.Configuration;

/** Hibernate: an entity of a table that is there, validated at the start, each unit of work in its transaction. */
public final class HibernateSteps {
    private static final Logger LOGGER = Logger.getLogger("org.hibernate");
    private static SessionFactory factory;

    /** A row of the table, some of its columns. */
    @Entity(name = "Kind")
    @Table(name = "kinds")
    public static class Kind {
        @Id
        Integer id;

        Boolean yes;
        Long big;

        @Column(precision = 12, scale = 3)
        BigDecimal price;

        @Column(length = 40)
        String name;

        Kind() {}

        Kind(int id, String name) {
            this.id = id;
            this.name = name;
        }
    }

    private HibernateSteps() {}

    public static void main(String[] arguments) {
        LOGGER.setLevel(Level.OFF);
        Steps.take("connects, validates its entities (hbm2ddl.auto)", HibernateSteps::connects);
        Steps.take("looks up (HQL)", () -> reads(session -> session
            .createQuery("select k.id, k.price from Kind k where k.name = :n and k.big > :b and k.id <= 200 order by k.id", Object[].class)
            .setParameter("n", "n3").setParameter("b", 900L).list()));
        Steps.take("looks up by key (find)", () -> reads(session -> session.find(Kind.class, 7).name));
        Steps.take("counts (HQL)", () -> reads(session ->
            session.createQuery("select count(*) from Kind k where k.id <= 200", Long.class).getSingleResult()));
        Steps.take("asks whether there is one (HQL exists)", () -> reads(session -> session
            .createQuery("select k.id from Kind k where k.id = 7 and exists (select 1 from Kind o where o.name = 'n3')", Integer.class)
            .list()));
        Steps.take("groups (HQL)", () -> reads(session -> session
            .createQuery("select k.name, count(*), sum(k.big) from Kind k where k.id <= 200 group by k.name order by k.name", Object[].class)
            .list()));
        Steps.take("reads pages (setFirstResult, setMaxResults)", () -> reads(session -> session
            .createQuery("select k.id from Kind k where k.id <= 200 order by k.id", Integer.class)
            .setFirstResult(60).setMaxResults(9).list()));
        Steps.take("reads in portions (setFetchSize, stream)", () -> reads(session -> session
            .createQuery("select k.id from Kind k where k.id <= 200", Integer.class)
            .setFetchSize(50).getResultStream().mapToInt(Integer::intValue).sum()));
        Steps.take("inserts (persist)", HibernateSteps::inserts);
        Steps.take("inserts many (jdbc.batch_size)", HibernateSteps::insertsMany);
        Steps.take("updates an object (dirty checking)", HibernateSteps::updates);
        Steps.take("updates many (HQL)", HibernateSteps::updatesMany);
        Steps.take("updates many at once (dirty checking, jdbc.batch_size)", HibernateSteps::updatesBatch);
        Steps.take("merges an object (merge)", HibernateSteps::merges);
        Steps.take("removes an object (remove)", HibernateSteps::removes);
        Steps.take("inserts or updates (StatelessSession.upsert)", HibernateSteps::upserts);
        Steps.take("locks a row (PESSIMISTIC_WRITE)", () ->
            reads(session -> session.find(Kind.class, 7, LockModeType.PESSIMISTIC_WRITE).name));
        Steps.take("rolls back (rollback)", HibernateSteps::rollsBack);
    }

    private static Object connects() {
        factory = new Configuration()
            .addAnnotatedClass(Kind.class)
            .setProperty("hibernate.connection.url", Steps.url())
            .setProperty("hibernate.connection.username", Steps.user())
            .setProperty("hibernate.hbm2ddl.auto", "validate")
            .setProperty("hibernate.jdbc.batch_size", "10")
            .buildSessionFactory();
        return factory.isOpen();
    }

    private static <T> T reads(Function<Session, T> work) {
        return factory.fromTransaction(work);
    }

    private static Object count(int low, int high) {
        return reads(session -> session.createQuery("select count(*) from Kind k where k.id between :l and :h", Long.class)
            .setParameter("l", low).setParameter("h", high).getSingleResult());
    }

    private static Object inserts() {
        factory.inTransaction(session -> session.persist(new Kind(1000, "it's")));
        return reads(session -> session.find(Kind.class, 1000).name);
    }

    private static Object insertsMany() {
        factory.inTransaction(session -> {
            for (int at = 0; at < 20; at++) {
                session.persist(new Kind(1100 + at, "many"));
            }
        });
        return count(1100, 1119);
    }

    private static Object updates() {
        factory.inTransaction(session -> session.persist(new Kind(1200, "before")));
        factory.inTransaction(session -> session.find(Kind.class, 1200).name = "after");
        return reads(session -> session.find(Kind.class, 1200).name);
    }

    private static Object updatesMany() {
        factory.inTransaction(session -> session.persist(new Kind(1250, "before")));
        return reads(session -> session.createMutationQuery("update Kind k set k.name = 'after' where k.id = 1250").executeUpdate());
    }

    private static Object updatesBatch() {
        factory.inTransaction(session -> {
            for (int at = 0; at < 5; at++) {
                session.persist(new Kind(1280 + at, "before"));
            }
        });
        factory.inTransaction(session -> {
            List<Kind> found = new ArrayList<>();
            for (int at = 0; at < 5; at++) {
                found.add(session.find(Kind.class, 1280 + at));
            }
            found.forEach(kind -> kind.name = "after");
        });
        return count(1280, 1284);
    }

    private static Object merges() {
        factory.inTransaction(session -> session.persist(new Kind(1210, "before")));
        return reads(session -> session.merge(new Kind(1210, "after")).name);
    }

    private static Object removes() {
        factory.inTransaction(session -> session.persist(new Kind(1300, "gone")));
        factory.inTransaction(session -> session.remove(session.find(Kind.class, 1300)));
        return count(1300, 1300);
    }

    private static Object upserts() {
        try (StatelessSession session = factory.openStatelessSession()) {
            session.beginTransaction();
            session.upsert(new Kind(1720, "new"));
            session.getTransaction().commit();
        }
        return count(1720, 1720);
    }

    private static Object rollsBack() {
        try (Session session = factory.openSession()) {
            session.beginTransaction();
            session.persist(new Kind(1500, "gone"));
            session.flush();
            session.getTransaction().rollback();
        }
        return count(1500, 1500);
    }
}
