import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { open, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sleep, systemClock } from "../../lib/clock.ts";
import { systemStreamedProcesses } from "../../lib/streamed_process.ts";
import type { ErrorClass } from "../../wire/error_classes.ts";
import type { Repository } from "../engine.ts";
import { type Ground, snapshotOf } from "./ground.ts";

/* What gets in the way of the engines in tests. */

/** Work that is told to stop after a while: "done", or the class of its failure. */
export async function stopped(
  ms: number,
  reason: unknown,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<string> {
  const controller = new AbortController();
  const cancel = systemClock.after(ms, () => controller.abort(reason));
  try {
    await work(controller.signal);
    return "done";
  } catch (error) {
    return (error as { readonly class?: ErrorClass }).class ?? String(error);
  } finally {
    cancel();
  }
}

/** Runs something while another process of the engine holds its lock on the repository, frozen in the middle of a backup. */
export async function withLock(
  ground: Ground,
  repository: Repository,
  source: string,
  use: (kill: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const locks = ground.path("repository", "locks");
  const seen: number[] = [];
  const other = ground.under.makeEngine({
    folder: ground.path("other-engine"),
    processes: {
      async start(command, args, options) {
        if (!args.includes("backup")) return systemStreamedProcesses.start(command, args, options);
        const child = spawn(command, args, { cwd: options.cwd, env: options.env });
        seen.push(child.pid ?? 0);
        const ended = new Promise<{ code: number | null; signal: string | null }>((end) => {
          child.once("close", (code, signal) => end({ code, signal }));
        });
        return {
          stdout: child.stdout,
          stderr: child.stderr,
          ended,
          kill: (signal) => void child.kill(signal),
        };
      },
    },
  });
  const opened = await other.open(ground.location());
  // There is so much that is new, and it is so slow, that it is still at it when it is frozen.
  await writeFile(join(source, "more"), randomBytes(200_000));
  const work = opened
    .snapshot(snapshotOf(source, { extraArgs: ["--limit-upload", "1"] }))
    .catch(() => undefined);
  // Before it is a lock, it has another name.
  const isLock = (name: string) => /^[0-9a-f]{64}$/.test(name);
  while (!(await readdir(locks)).some(isLock)) await sleep(systemClock, 20);
  const [pid = 0] = seen;
  process.kill(pid, "SIGSTOP");
  try {
    await use(async () => {
      process.kill(pid, "SIGKILL");
      await work;
    });
  } finally {
    await work;
    await opened.close();
    await repository.stats();
  }
}

/** The largest file below a folder. */
export async function largestFile(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true });
  const sized = await Promise.all(
    names.map(async (name) => ({ name, info: await stat(join(folder, name)) })),
  );
  const [largest] = sized.filter(({ info }) => info.isFile()).toSorted((a, b) => b.info.size - a.info.size);
  return join(folder, largest?.name ?? "");
}

/** Changes a byte in the middle of the repository's largest file: it belongs to one piece of the content, not to two. */
export async function damage(folder: string): Promise<void> {
  const path = await largestFile(folder);
  execFileSync("chmod", ["u+w", path]);
  const { size } = await stat(path);
  const file = await open(path, "r+");
  const at = Math.floor(size / 2);
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at);
  await file.write(Buffer.from([buffer.readUInt8() ^ 0xff]), 0, 1, at);
  await file.close();
}

/** A small file system in memory, for as long as it is used. */
export function mounted(path: string, size: string) {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path]);
  return {
    grow: (larger: string) => execFileSync("mount", ["-o", `remount,size=${larger}`, path]),
    readOnly: () => execFileSync("mount", ["-o", "remount,ro", path]),
    [Symbol.dispose]: () => void spawnSync("umount", ["-l", path]),
  };
}
