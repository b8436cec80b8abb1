import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fingerprint } from "../../src/lib/hash.ts";
import { cacheFolder } from "./folders.ts";
import { packImage } from "./image.ts";
import { PAUSE_IMAGE } from "./node_programs.ts";
import { run } from "./run.ts";

/** A shell and the usual small programs, for pods of tests. */
export const BUSYBOX_IMAGE = "holdfast/busybox:1";

const PAUSE_SOURCE = fileURLToPath(new URL("pause.c", import.meta.url));

/** What every full cluster has from the start. */
export interface BuiltinImages {
  /** The program of the pause image; it holds the node's namespaces as well. */
  readonly pause: string;
  readonly archives: readonly string[];
}

/** Makes the images out of this machine's files where the cache has none; no image registry is needed. */
export async function builtinImages(): Promise<BuiltinImages> {
  const busybox = (await run("sh", ["-c", "command -v busybox"])).trim();
  const contents = fingerprint(readFileSync(PAUSE_SOURCE, "utf8") + readFileSync(busybox, "base64"));
  const folder = join(cacheFolder(), "images", contents);
  if (!existsSync(folder)) {
    mkdirSync(join(cacheFolder(), "images"), { recursive: true });
    const work = mkdtempSync(`${folder}.`);
    try {
      await Promise.all([packPause(work), packBusybox(work, busybox)]);
      moveUnlessThere(work, folder);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  return {
    pause: join(folder, "pause/pause"),
    archives: [join(folder, "pause.tar"), join(folder, "busybox.tar")],
  };
}

async function packPause(work: string): Promise<void> {
  const rootfs = join(work, "pause");
  mkdirSync(rootfs);
  await run("gcc", ["-static", "-Os", "-s", "-Wall", "-o", join(rootfs, "pause"), PAUSE_SOURCE]);
  await packImage({ name: PAUSE_IMAGE, rootfs, entrypoint: ["/pause"], out: join(work, "pause.tar") });
}

async function packBusybox(work: string, busybox: string): Promise<void> {
  const rootfs = join(work, "busybox");
  for (const folder of ["bin", "etc", "tmp"]) mkdirSync(join(rootfs, folder), { recursive: true });
  chmodSync(join(rootfs, "tmp"), 0o1777);
  copyFileSync(busybox, join(rootfs, "bin/busybox"));
  chmodSync(join(rootfs, "bin/busybox"), 0o755);
  const applets = (await run(busybox, ["--list"]))
    .split("\n")
    .filter((name) => name !== "" && name !== "busybox");
  for (const applet of applets) symlinkSync("busybox", join(rootfs, "bin", applet));
  await packImage({ name: BUSYBOX_IMAGE, rootfs, entrypoint: [], out: join(work, "busybox.tar") });
}

/** Another `up` may have been faster; its result is the same. */
function moveUnlessThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}
