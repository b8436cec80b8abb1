import { mkdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { buildTree } from "../../src/engines/testing/tree.ts";
import { MoverPod } from "../machine/mover_pod.ts";
import { smallDisk } from "./small_disk.ts";

/** The mover's own disk is full: which of its folders each engine cannot do without. */
const FOLDERS = [
  ["kopia", "cache", "64k", "mover's cache"],
  ["restic", "scratch", "1m", "temporary files"],
] as const;

export function fullCaches(): void {
  describe.concurrent.each(FOLDERS)("a mover of %s whose %s is full", (engine, folder, size, words) => {
    test("says so, leaves no snapshot, and succeeds with more room", { timeout: 120_000 }, async () => {
      await using pod = await MoverPod.make(engine);
      await mkdir(pod.path("volumes/data"));
      const file = { random: { bytes: 20_000_000, seed: 1 } };
      await buildTree(pod.path("volumes/data"), [{ path: "file", file }]);
      await pod.done({ init: { create: true } });
      using disk = smallDisk(pod.path(folder), size);
      const work = { snapshot: { sources: [pod.source("data")] } };
      expect((await pod.run(work)).result.failure).toMatchObject({
        class: "CacheFull",
        message: expect.stringContaining(words),
      });
      disk.grow("200m");
      expect((await pod.done({ catalog: {} })).catalog.found).toBe(0);
      expect((await pod.run(work)).code).toBe(0);
      expect((await pod.done({ catalog: {} })).catalog.found).toBe(1);
    });
  });
}
