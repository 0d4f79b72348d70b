# DBI with DBD::Pg: prepared statements, the metadata of DBI, and blocks.
use strict;
use warnings;
use DBI;
use JSON::PP;

my $place = "dbi:Pg:host=$ENV{PGHOST};port=$ENV{PGPORT};dbname=$ENV{PGDATABASE}";
my $db = DBI->connect($place, $ENV{PGUSER}, undef, { RaiseError => 1, PrintError => 0, AutoCommit => 1 });
my $json = JSON::PP->new->canonical->allow_nonref;

sub take {
    my ($step, $action) = @_;
    my $answer = eval { $action->() };
    my $line = { step => $step, answer => $answer };
    if (my $error = $@) {
        my ($said) = $error =~ /ERROR:\s*(.*)/;
        $line = { step => $step, code => $db->state || 'error', message => $said || $error };
        $db->rollback unless $db->{AutoCommit};
    }
    print $json->encode($line), "\n";
}

sub ask { my ($sql, @values) = @_; return $db->selectall_arrayref($sql, undef, @values); }

take 'connects (ping)', sub { $db->ping };
take 'reads the catalogue (column_info)', sub {
    my $info = $db->column_info(undef, 'public', 'kinds', '%')->fetchall_arrayref({});
    return [ map { [ $_->{COLUMN_NAME}, $_->{pg_type}, $_->{NULLABLE} ] } @$info ];
};
take 'reads the catalogue (table_info)', sub {
    return [ map { [ $_->[1], $_->[2], $_->[3] ] } @{ $db->table_info(undef, 'public', 'kinds', 'TABLE')->fetchall_arrayref } ];
};
take 'reads the catalogue (primary_key)', sub { [ $db->primary_key(undef, 'public', 'kinds') ] };
take 'looks up (prepare, execute)', sub {
    my $statement = $db->prepare('SELECT id, yes, price, day FROM kinds WHERE name = ? AND big > ? AND id <= 200 ORDER BY id');
    $statement->execute('n3', 900);
    return $statement->fetchall_arrayref;
};
take 'counts (selectrow_array)', sub { ask('SELECT count(*) FROM kinds WHERE id <= ?', 200) };
take 'inserts (do)', sub { $db->do('INSERT INTO kinds (id, name) VALUES (?, ?)', undef, 1000, q{it's}) };
take 'inserts many (execute_array)', sub {
    my $statement = $db->prepare('INSERT INTO kinds (id, big) VALUES (?, ?)');
    $statement->execute_array({}, [ 1100 .. 1119 ], [ 0 .. 19 ]);
    return ask('SELECT count(*) FROM kinds WHERE id BETWEEN 1100 AND 1119');
};
take 'copies (pg_putcopydata)', sub {
    $db->do('COPY kinds (id, name) FROM STDIN');
    $db->pg_putcopydata("1180\tcopied\n");
    $db->pg_putcopyend;
    return ask('SELECT name FROM kinds WHERE id = 1180');
};
take 'updates (do)', sub {
    $db->do('INSERT INTO kinds (id, name) VALUES (?, ?)', undef, 1200, 'before');
    return $db->do('UPDATE kinds SET name = ? WHERE id = ?', undef, 'after', 1200);
};
take 'deletes (do)', sub {
    $db->do('INSERT INTO kinds (id) VALUES (?)', undef, 1300);
    return $db->do('DELETE FROM kinds WHERE id = ?', undef, 1300);
};
$db->do('INSERT INTO kinds (id, name) VALUES (?, ?)', undef, 1270, 'before');
$db->{AutoCommit} = 0;
take 'updates in a block (AutoCommit off)', sub {
    my $changed = $db->do('UPDATE kinds SET name = ? WHERE id = ?', undef, 'after', 1270);
    $db->commit;
    return $changed;
};
take 'commits (commit)', sub {
    $db->do('INSERT INTO kinds (id) VALUES (?)', undef, $_) for 1400, 1401;
    $db->commit;
    return ask('SELECT count(*) FROM kinds WHERE id IN (1400, 1401)');
};
take 'rolls back (rollback)', sub {
    $db->do('INSERT INTO kinds (id) VALUES (?)', undef, 1500);
    $db->rollback;
    return ask('SELECT count(*) FROM kinds WHERE id = 1500');
};
$db->{AutoCommit} = 1;
$db->disconnect;
