import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { Moments } from "./faults_moments.ts";
import { followedBackup, nothingIsLeft, pause, repositoryIsSound } from "./faults_stage.ts";
import { FILMS, HOUSEHOLD } from "./household.ts";
import { killProcess } from "./machine_processes.ts";
import { processesWith, workOf } from "./mover_process.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** The volume is gone from under the engine that reads it: what is left in its place is an empty folder. */
export function unmountedSources(world: () => ScenarioWorld): void {
  describe.each(new Moments(9).engines())("with %s, a source that is unmounted", (engine) => {
    test("is not taken for an empty one", { timeout: 600_000 }, async () => {
      await using stage = await Stage.enter(world(), engine);
      const repository = await stage.repositoryOnVolume();
      await stage.filledClaim("data", HOUSEHOLD);
      const before = await stage.describe("data");
      await stage.recipe("data", repository);
      const first = await stage.backup("first", "data");
      await stage.world.put({ namespace: stage.namespace, name: "data" }, FILMS);
      const wanted = await stage.describe("data");

      const name = `unmounted-${engine}`;
      await stage.beginBackup(name, "data");
      const reader = await stage.eventually("the engine is at work on the source", async () => {
        const value = await firstOf((line) => line.includes(`${name}-snapshot-`) && isOfData(line));
        return { done: value !== undefined, value: value ?? 0 };
      });
      killProcess(reader, "SIGSTOP");
      const { work } = workOf(reader) ?? {};
      if (!work || !("snapshot" in work)) throw new Error("the engine's mover takes no snapshot");
      unmount(reader, work.snapshot.sources[0]?.path ?? "");
      killProcess(reader, "SIGCONT");

      const { object, failures } = await followedBackup(stage, name);
      expect(failures).toMatchObject([
        {
          errorClass: "Interrupted",
          retry: "transient",
          message: expect.stringContaining("unmounted while it was backed up"),
        },
      ]);
      expect(object.status).toMatchObject({ phase: "Succeeded", job: { attempts: 2 } });
      await repositoryIsSound(stage, [first, object], wanted, { first: before });
      await nothingIsLeft(stage);
    });
  });
}

/** A process with such a command line; undefined when none came within a while. One may be over soon. */
async function firstOf(command: (line: string) => boolean): Promise<number | undefined> {
  for (let look = 0; look < 20; look++) {
    const [found] = processesWith(command);
    if (found !== undefined) return found;
    await pause(20);
  }
  return undefined;
}

/** Whether it is the engine's run on the data itself. */
function isOfData(line: string): boolean {
  const words = line.split("\0");
  return words.includes("backup") || (words.includes("create") && !line.includes("\0--stdin-file="));
}

/** Takes a mount away from a process, and from all in its container, whatever is in use of it. */
function unmount(pid: number, path: string): void {
  execFileSync("python3", ["-c", UNMOUNT, String(pid), path]);
}

const UNMOUNT = `
import ctypes, os, sys
pid, path = sys.argv[1:]
system = ctypes.CDLL(None, use_errno=True)
def done(code):
    if code: raise OSError(ctypes.get_errno(), path)
root = os.open(f"/proc/{pid}/root", os.O_RDONLY)
done(system.setns(os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY), 0))
os.fchdir(root)
os.chroot(".")
MNT_DETACH = 2
done(system.umount2(path.encode(), MNT_DETACH))
`;
