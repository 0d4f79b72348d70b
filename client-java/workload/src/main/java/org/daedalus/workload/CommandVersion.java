package org.daedalus.workload;

import org.daedalus.wire.BuildVersion;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Answers {@code --version} for a program that sells, asks about or changes tickets, as every other program does. */
public final class CommandVersion implements IVersionProvider {
    @Spec
    private CommandSpec command;

    @Override
    public String[] getVersion() {
        return new String[] {command.root().name() + " " + BuildVersion.text()};
    }
}
