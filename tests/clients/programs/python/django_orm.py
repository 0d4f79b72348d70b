"""Django: a model of a table that is there, as `inspectdb` makes it, and a project's default settings."""

from __future__ import annotations

import datetime
import io
from decimal import Decimal

import django
from django.conf import settings
from steps import DATABASE, HOST, PORT, USER, take

settings.configure(
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": DATABASE,
            "HOST": HOST,
            "PORT": PORT,
            "USER": USER,
            "CONN_HEALTH_CHECKS": True,
        }
    },
    USE_TZ=True,
)
django.setup()

from django.core.management import call_command  # noqa: E402 - wants the settings
from django.core.paginator import Paginator  # noqa: E402
from django.db import connection, models, transaction  # noqa: E402
from django.db.models import Avg, Count, F, Max, Q  # noqa: E402


class Kind(models.Model):
    """A row of the table, some of its columns."""

    id = models.IntegerField(primary_key=True)
    yes = models.BooleanField(null=True)
    big = models.BigIntegerField(null=True)
    price = models.DecimalField(max_digits=12, decimal_places=3, null=True)
    day = models.DateField(null=True)
    name = models.CharField(max_length=40, null=True)
    moment = models.DateTimeField(null=True)

    class Meta:
        """The table is not Django's to make."""

        app_label = "desk"
        managed = False
        db_table = "kinds"


rows = Kind.objects.filter(id__lte=200)


def inspects() -> str:
    said = io.StringIO()
    call_command("inspectdb", "kinds", stdout=said)
    return said.getvalue()


def looks_up() -> object:
    found = rows.filter(name="n3", big__gt=100, day__year=2013).exclude(Q(id=10) | Q(yes=None)).order_by("-id")
    return [(kind.id, kind.price, kind.day) for kind in found]


def groups() -> object:
    return list(rows.values("name").annotate(n=Count("id"), most=Max("big"), mean=Avg("price")).order_by("name"))


def pages() -> object:
    paginator = Paginator(rows.order_by("id"), 30)
    return paginator.count, [kind.id for kind in paginator.page(3)]


def inserts() -> object:
    moment = datetime.datetime(2013, 2, 8, 9, 30, tzinfo=datetime.UTC)
    Kind.objects.create(id=1000, name="it's", price=Decimal("12.500"), moment=moment)
    return list(Kind.objects.filter(id=1000).values())


def inserts_many() -> object:
    Kind.objects.bulk_create([Kind(id=1100 + at, big=at) for at in range(50)], batch_size=20)
    return Kind.objects.filter(id__range=(1100, 1199)).count()


def saves() -> object:
    Kind.objects.create(id=1200, name="before")
    kind = Kind.objects.get(pk=1200)
    kind.name = "after"
    kind.save()
    return Kind.objects.get(pk=1200).name


def updates_many() -> object:
    for at in range(5):
        Kind.objects.create(id=1250 + at, big=at)
    changed = Kind.objects.filter(id__range=(1250, 1260)).update(big=F("big") + 1)
    return changed, list(Kind.objects.filter(id__range=(1250, 1260)).order_by("id").values_list("big", flat=True))


def saves_in_block() -> object:
    Kind.objects.create(id=1270, name="before")
    with transaction.atomic():
        kind = Kind.objects.get(pk=1270)
        kind.name = "after"
        kind.save()
    return Kind.objects.get(pk=1270).name


def deletes() -> object:
    kind = Kind.objects.create(id=1300)
    return kind.delete()[0], Kind.objects.filter(id=1300).exists()


def gets_or_creates() -> object:
    return [Kind.objects.get_or_create(id=1700, defaults={"name": "new"})[1] for _ in range(2)]


def updates_or_creates() -> object:
    return [Kind.objects.update_or_create(id=1710, defaults={"big": at})[1] for at in range(2)]


def upserts() -> object:
    for big in (1, 2):
        Kind.objects.bulk_create(
            [Kind(id=1720, big=big)], update_conflicts=True, update_fields=["big"], unique_fields=["id"]
        )
    return Kind.objects.get(id=1720).big


def commits() -> object:
    with transaction.atomic():
        Kind.objects.create(id=1400)
        Kind.objects.create(id=1401)
    return Kind.objects.filter(id__in=[1400, 1401]).count()


def rolls_back() -> object:
    try:
        with transaction.atomic():
            Kind.objects.create(id=1500)
            raise ValueError
    except ValueError:
        return Kind.objects.filter(id=1500).exists()


def nests() -> object:
    with transaction.atomic():
        Kind.objects.create(id=1600)
        with transaction.atomic():
            Kind.objects.create(id=1601)
    return Kind.objects.filter(id__in=[1600, 1601]).count()


def locks() -> object:
    with transaction.atomic():
        return Kind.objects.select_for_update().get(id=7).name


def ping() -> object:
    connection.close_if_unusable_or_obsolete()
    return connection.is_usable()


take("connects", lambda: connection.ensure_connection())
take("reads the catalogue (inspectdb)", inspects)
take("looks up (filter, exclude)", looks_up)
take("looks up by key (get)", lambda: Kind.objects.get(pk=7).name)
take("counts (count)", lambda: rows.filter(yes=True).count())
take("counts distinct rows (distinct, count)", lambda: rows.values("name").distinct().count())
take("asks whether there is one (exists)", lambda: rows.filter(name="n3").exists())
take("aggregates (aggregate)", lambda: rows.aggregate(Max("big"), Count("name", distinct=True)))
take("groups (values, annotate)", groups)
take("reads pages (Paginator)", pages)
take("reads in portions (iterator)", lambda: sum(kind.id for kind in rows.iterator(chunk_size=50)))
take("inserts (create)", inserts)
take("inserts many (bulk_create)", inserts_many)
take("updates an object (save)", saves)
take("updates many (update)", updates_many)
take("updates in a block (atomic, save)", saves_in_block)
take("deletes (delete)", deletes)
take("inserts what is not there (get_or_create)", gets_or_creates)
take("inserts or updates (update_or_create)", updates_or_creates)
take("inserts or updates many (bulk_create with update_conflicts)", upserts)
take("commits (atomic)", commits)
take("rolls back (atomic)", rolls_back)
take("nests blocks (atomic in atomic)", nests)
take("locks rows (select_for_update)", locks)
take("explains (explain)", lambda: bool(rows.filter(id=7).explain()))
take("checks its connection", ping)
