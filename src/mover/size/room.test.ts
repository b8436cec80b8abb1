import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { cgroupRoom, roomAround } from "./room.ts";

const from = (files: Readonly<Record<string, string>>) => cgroupRoom((path) => files[path]);

describe("cgroupRoom()", () => {
  test.each([
    ["nothing can be read", {}, {}],
    [
      "version 2, in a container",
      {
        "/proc/self/cgroup": "0::/\n",
        "/sys/fs/cgroup/memory.max": "536870912\n",
        "/sys/fs/cgroup/cpu.max": "150000 100000\n",
      },
      { memory: 536_870_912, cpus: 1.5 },
    ],
    [
      "version 2 without limits",
      {
        "/proc/self/cgroup": "0::/\n",
        "/sys/fs/cgroup/memory.max": "max\n",
        "/sys/fs/cgroup/cpu.max": "max 100000\n",
      },
      {},
    ],
    [
      "version 2, where a group further up has less",
      {
        "/proc/self/cgroup": "0::/pods/a/b\n",
        "/sys/fs/cgroup/pods/a/b/memory.max": "2000\n",
        "/sys/fs/cgroup/pods/a/memory.max": "1000\n",
        "/sys/fs/cgroup/pods/a/cpu.max": "50000 100000\n",
      },
      { memory: 1000, cpus: 0.5 },
    ],
    [
      "version 1, whose path leads outside of the container",
      {
        "/proc/self/cgroup": "4:memory:/kubepods/x\n2:cpu,cpuacct:/kubepods/x\n0::/\n",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n",
        "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "200000\n",
        "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
      },
      { memory: 1_073_741_824, cpus: 2 },
    ],
    [
      "version 1 without limits",
      {
        "/proc/self/cgroup": "4:memory:/\n2:cpu:/\n",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
        "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
      },
      {},
    ],
  ])("%s", (_, files, room) => {
    expect(from(files)).toEqual(room);
  });
});

describe("roomAround()", () => {
  test("measures the file system of the cache", async () => {
    const { caches: [cache] = [] } = await roomAround(tmpdir());
    expect(cache?.totalBytes).toBeGreaterThan(0);
    expect(cache?.freeBytes).toBeLessThanOrEqual(cache?.totalBytes ?? 0);
  });

  test("knows of no cache where there is none", async () => {
    expect((await roomAround("/nowhere/at/all")).caches).toEqual([]);
  });
});
