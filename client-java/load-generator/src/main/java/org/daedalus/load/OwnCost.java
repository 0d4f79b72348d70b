package org.daedalus.load;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;

/** Measures what this process itself takes of the machine while a run is reported. For one thread. */
final class OwnCost implements LoadRun.Meter {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Map<Long, Long> threadsAtBegin = new HashMap<>();
    private long beginNs;
    private long processAtBegin;
    private OwnShare share = OwnShare.NONE;

    @Override
    public void begin(long nowNs) {
        beginNs = nowNs;
        processAtBegin = processNs();
        for (long id : THREADS.getAllThreadIds()) {
            threadsAtBegin.put(id, THREADS.getThreadCpuTime(id));
        }
    }

    @Override
    public void end(long nowNs) {
        long processNs = processNs() - processAtBegin;
        long busiestNs = 0;
        String busiest = "";
        for (long id : THREADS.getAllThreadIds()) {
            long threadNs = THREADS.getThreadCpuTime(id) - threadsAtBegin.getOrDefault(id, 0L);
            ThreadInfo info = THREADS.getThreadInfo(id);
            if (info != null && threadNs > busiestNs) {
                busiestNs = threadNs;
                busiest = info.getThreadName();
            }
        }
        share = new OwnShare(processNs / 1e9, busiest, (double) busiestNs / Math.max(1, nowNs - beginNs));
    }

    /** Returns the share; to be called after the end. */
    OwnShare share() {
        return share;
    }

    private static long processNs() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean known
                ? known.getProcessCpuTime() : 0;
    }
}
