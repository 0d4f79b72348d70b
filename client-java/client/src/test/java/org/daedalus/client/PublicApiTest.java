package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * An application sees nothing of the messages and of the network beneath the library, which are nobody else's business
 * and change with the wire.
 */
class PublicApiTest {
    private static final List<String> HIDDEN =
            List.of("com.google.", "io.netty.", "net.openhft.", "org.daedalus.wire.v1.", "org.daedalus.channel.");

    private final Set<String> leaks = new TreeSet<>();
    private final Set<Class<?>> seen = new java.util.HashSet<>();
    private final Deque<Class<?>> open = new ArrayDeque<>();

    /** The public classes of the library's one package that is for applications. */
    private static List<Class<?>> published() throws IOException, URISyntaxException, ClassNotFoundException {
        Path folder = Path.of(DaedalusClient.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                .resolve("org/daedalus/client");
        try (Stream<Path> files = Files.list(folder)) {
            List<Class<?>> all = new java.util.ArrayList<>();
            for (Path file : files.filter(each -> each.toString().endsWith(".class")).sorted().toList()) {
                String name = file.getFileName().toString().replace(".class", "");
                all.add(Class.forName("org.daedalus.client." + name));
            }
            return all.stream().filter(PublicApiTest::isVisible).toList();
        }
    }

    private static boolean isVisible(Class<?> type) {
        return Modifier.isPublic(type.getModifiers())
                && (type.getDeclaringClass() == null || isVisible(type.getDeclaringClass()));
    }

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private void use(String where, Type type) {
        if (type instanceof Class<?> known) {
            if (known.isArray()) {
                use(where, known.getComponentType());
            } else if (HIDDEN.stream().anyMatch(known.getName()::startsWith)) {
                leaks.add(where + ": " + known.getName());
            } else if (known.getName().startsWith("org.daedalus.") && seen.add(known)) {
                open.add(known);
            }
        } else if (type instanceof ParameterizedType parameterized) {
            use(where, parameterized.getRawType());
            useAll(where, parameterized.getActualTypeArguments());
        } else if (type instanceof GenericArrayType array) {
            use(where, array.getGenericComponentType());
        } else if (type instanceof WildcardType wildcard) {
            useAll(where, wildcard.getUpperBounds());
            useAll(where, wildcard.getLowerBounds());
        }
    }

    private void useAll(String where, Type... types) {
        for (Type type : types) {
            use(where, type);
        }
    }

    private void visit(Class<?> type) {
        if (type.getGenericSuperclass() != null) {
            use(type.getName(), type.getGenericSuperclass());
        }
        useAll(type.getName(), type.getGenericInterfaces());
        for (Method method : type.getDeclaredMethods()) {
            if (isVisible(method.getModifiers()) && !method.isSynthetic()) {
                String where = type.getName() + "." + method.getName();
                use(where, method.getGenericReturnType());
                useAll(where, method.getGenericParameterTypes());
                useAll(where, method.getGenericExceptionTypes());
            }
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (isVisible(constructor.getModifiers())) {
                useAll(type.getName() + ".<init>", constructor.getGenericParameterTypes());
            }
        }
        for (Field field : type.getDeclaredFields()) {
            if (isVisible(field.getModifiers())) {
                use(type.getName() + "." + field.getName(), field.getGenericType());
            }
        }
    }

    @Test
    void shouldShowNoMessagesAndNoNetwork() throws Exception {
        List<Class<?>> published = published();
        assertThat(published).contains(DaedalusClient.class, RowBatch.class, DaedalusClient.Builder.class);
        published.forEach(type -> use(type.getName(), type));
        while (!open.isEmpty()) {
            visit(open.remove());
        }
        assertThat(leaks).isEmpty();
        assertThat(seen).as("types are followed").contains(org.daedalus.wire.ColumnType.class);
    }
}
