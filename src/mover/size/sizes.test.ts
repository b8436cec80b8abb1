import { describe, expect, test } from "vitest";
import { sizesFor } from "./sizes.ts";

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const disk = (totalBytes: number, freeBytes = totalBytes, inMemory = false) => ({
  totalBytes,
  freeBytes,
  inMemory,
});

describe("sizesFor()", () => {
  test("limits nothing but the cache where there are no limits", () => {
    expect(sizesFor({})).toEqual({
      env: { GOGC: "200" },
      cache: { contentBytes: 256 * MIB, metadataBytes: 512 * MIB },
    });
  });

  test.each([
    [GIB, 896.8],
    [512 * MIB, 410.4],
    [256 * MIB, 167.2],
    [128 * MIB, 64],
    [64 * MIB, 32],
  ])("of %i bytes of memory leaves the engine %d MiB", (memory, mib) => {
    expect(Number(sizesFor({ memory }).env.GOMEMLIMIT) / MIB).toBeCloseTo(mib, 1);
  });

  test.each([
    [0.1, "1"],
    [1, "1"],
    [1.5, "2"],
    [4, "4"],
  ])("gives %d processors as GOMAXPROCS=%s, and so many files at once", (cpus, threads) => {
    expect(sizesFor({ cpus })).toMatchObject({ env: { GOMAXPROCS: threads }, parallel: Number(threads) });
  });

  test.each([
    ["a large disk", { caches: [disk(100 * GIB)] }, 256, 512],
    ["a large disk that is almost full", { caches: [disk(100 * GIB, 480 * MIB)] }, 128, 256],
    ["a large disk that is full", { caches: [disk(100 * GIB, 0)] }, 0, 0],
    ["a small volume that earlier runs filled", { caches: [disk(480 * MIB, 10 * MIB)] }, 128, 256],
    ["memory", { caches: [disk(16 * GIB, 16 * GIB, true)], memory: 768 * MIB }, 64, 128],
    [
      "a small volume, if there is as much on the disk",
      { caches: [disk(480 * MIB), disk(100 * GIB)] },
      128,
      256,
    ],
    [
      "a disk that is almost full, for want of a volume",
      { caches: [disk(8 * GIB), disk(100 * GIB, 480 * MIB)] },
      128,
      256,
    ],
    ["memory without a limit", { caches: [disk(16 * GIB, 16 * GIB, true)] }, 256, 512],
  ])("sizes a cache on %s", (_, room, content, metadata) => {
    const { contentBytes, metadataBytes } = sizesFor(room).cache;
    expect([contentBytes / MIB, metadataBytes / MIB].map(Math.round)).toEqual([content, metadata]);
  });
});
