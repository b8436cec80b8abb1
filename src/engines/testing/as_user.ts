import { spawn } from "node:child_process";
import { chmod, chown, copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type {
  RepositoryLocation,
  RestoreOptions,
  RestoreResult,
  SnapshotOptions,
  SnapshotResult,
} from "../engine.ts";
import type { Ground } from "./ground.ts";

/** What another user's process is to do. */
export type Task = { readonly restore: RestoreOptions } | { readonly snapshot: SnapshotOptions };

export interface TaskSpec {
  readonly module: string;
  readonly folder: string;
  readonly location: RepositoryLocation;
  readonly uid: number;
  readonly task: Task;
}

export type TaskOutcome =
  | { readonly result: RestoreResult & SnapshotResult }
  | { readonly failure: { readonly class: string; readonly message: string; readonly remedy: string } };

/** A user without rights, and no owner of anything in the tests. */
export const NOBODY = 65_532;

/**
 * Does a task in a process of {@link NOBODY}, whose rights are what the engines go by. The programs are copied to
 * where that user may run them.
 */
export async function asNobody(
  ground: Ground,
  location: RepositoryLocation,
  task: Task,
): Promise<TaskOutcome> {
  await chmod(ground.folder, 0o755);
  const folder = ground.path("nobody");
  const bin = ground.path("bin");
  await mkdir(folder, { recursive: true });
  await chown(folder, NOBODY, NOBODY);
  await mkdir(bin, { recursive: true });
  const copies: Record<string, string> = {};
  for (const [name, path] of Object.entries(ground.under.programs())) {
    copies[name] = join(bin, name);
    await copyFile(path, copies[name]);
    await chmod(copies[name], 0o755);
  }
  const spec: TaskSpec = { module: ground.under.module, folder, location, uid: NOBODY, task };
  return JSON.parse(await child(spec, { ...process.env, HOLDFAST_PROGRAMS: JSON.stringify(copies) }));
}

function child({ module, ...spec }: TaskSpec, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const program = join(dirname(module), "user_program.ts");
    const running = spawn(process.execPath, [program], { env, stdio: ["pipe", "pipe", "inherit"] });
    let out = "";
    running.stdout.on("data", (chunk) => {
      out += chunk;
    });
    running.once("error", reject);
    running.once("close", (code) =>
      code === 0 ? resolve(out) : reject(new Error(`it ended with ${code}: ${out}`)),
    );
    // One that ended before it read everything is judged by its code.
    running.stdin.on("error", () => {});
    running.stdin.end(JSON.stringify({ module, ...spec }));
  });
}
