import { readFile } from "node:fs/promises";
import { EngineError } from "../../wire/engine_error.ts";
import type { MountedOver, Work } from "../../wire/work.ts";

const MOUNTS = "/proc/self/mountinfo";

/**
 * Rejects where a folder of the work is not its volume, but the folder of the node beneath: as after a reboot, while the
 * pod of the volume is still said to run. That folder is empty, and what is written there is on the node's own disk.
 */
export async function checkMounted(work: Work): Promise<void> {
  const places = placesOf(work).filter(({ mountedOver }) => mountedOver !== undefined);
  if (places.length === 0) return;
  const mounts = await readFile(MOUNTS, "utf8");
  for (const { path, mountedOver = "" } of places) {
    if (!isBeneath(mounts, path, mountedOver)) continue;
    throw new EngineError(
      "Interrupted",
      `${path} is an empty folder of the node: the volume is not mounted`,
      {
        remedy: "Find out why the node has not mounted the volume of the pod, or wait until it has.",
      },
    );
  }
}

function placesOf(work: Work): readonly { readonly path: string; readonly mountedOver?: MountedOver }[] {
  if ("snapshot" in work) return work.snapshot.sources;
  if (!("restore" in work)) return [];
  const { target: path, mountedOver } = work.restore;
  return [{ path, ...(mountedOver === undefined ? {} : { mountedOver }) }];
}

/**
 * Pure: whether what is mounted at a path is the folder that a volume would be mounted over. The device says nothing of
 * it: a volume may be a folder of the node's own disk, too. A volume that came over that folder later does not count, for
 * it goes when the node unmounts it. `mounts`: the text of proc_pid_mountinfo(5).
 */
export function isBeneath(mounts: string, path: string, mountedOver: MountedOver): boolean {
  return mounts.split("\n").some((line) => {
    const [, , , root = "", place = ""] = line.split(" ").map(unescaped);
    return place === path && root.replace(/\/\/deleted$/, "").endsWith(`/${mountedOver}`);
  });
}

/** Blanks and the like are octal numbers there. */
function unescaped(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}
