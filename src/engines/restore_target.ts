import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import { EngineError } from "../wire/engine_error.ts";
import type { RestoreOptions } from "./engine.ts";
import type { Span } from "./fidelity/fidelity_program.ts";
import { targetError } from "./target_error.ts";
import { isOurMark } from "./target_fence.ts";

/**
 * In a target for as long as a restore into it has not ended. Where it was empty, the mark holds the restore's own name,
 * if it has one: then all beside it is what an attempt of that restore wrote. Where files are written beside those that
 * were there, it holds the run that does it, was made when that began, and is written again for as long as it goes on.
 * Where it took the place of another mark, it says that, too: a file's size and time say as little as before.
 */
export const UNFINISHED_MARK = ".holdfast-unfinished";

const INTERRUPTED = ", interrupted before";
const BESIDE_OTHERS = new RegExp(`^beside others(|${INTERRUPTED}): (.*)$`);

/**
 * What is in a restore's target before it begins.
 * - `Empty`: nothing.
 * - `Unfinished`: what an earlier attempt wrote into it when it was empty, and nothing else.
 * - `Occupied`: somebody's data. Where a restore was `interrupted`, a file's size and time say nothing of its content.
 *   Where an earlier attempt was killed while it wrote files beside others, `left` says when it was at work.
 */
export type FoundTarget =
  | { readonly type: "Empty" }
  | { readonly type: "Unfinished" }
  | { readonly type: "Occupied"; readonly interrupted: boolean; readonly left?: Span };

type TargetOptions = Pick<RestoreOptions, "target" | "existing" | "own" | "resume" | "fence">;

/** Makes the target where it is not there, and looks into it. */
export async function lookAtTarget(
  { target, existing = "Refuse", own, resume = false, fence }: TargetOptions,
  what: string,
): Promise<FoundTarget> {
  try {
    await mkdir(target, { recursive: true });
    const names = await readdir(target);
    const [first] = names.filter(
      (name) => name !== "lost+found" && name !== UNFINISHED_MARK && !isOurMark(name),
    );
    if (first === undefined) return { type: "Empty" };
    const mark = names.includes(UNFINISHED_MARK) ? await readMark(target) : undefined;
    // Whoever has no name has no mark of his own either.
    const ours = own !== undefined && own !== "" && mark?.text === own;
    if (ours && !resume) return { type: "Unfinished" };
    if (existing !== "Refuse" || ours || (resume && isResumed(mark, fence))) {
      if (!mark) return { type: "Occupied", interrupted: false };
      const [, before, run = ""] = BESIDE_OTHERS.exec(mark.text ?? "") ?? [];
      const interrupted = before !== "";
      const known = fence?.ended.includes(run);
      return { type: "Occupied", interrupted, ...(known ? { left: mark.written } : {}) };
    }
    throw new EngineError("TargetExists", `${what}: ${target} is not empty, it holds ${first}`);
  } catch (cause) {
    throw targetError(what, cause);
  }
}

/** Whether an attempt that went on where another one had stopped was killed itself. */
function isResumed(mark: Mark | undefined, fence: TargetOptions["fence"]): boolean {
  const [, before = "", run = ""] = BESIDE_OTHERS.exec(mark?.text ?? "") ?? [];
  return before === INTERRUPTED && (fence?.ended.includes(run) ?? false);
}

interface Mark {
  /** Undefined where it may not be read: then it is somebody else's. */
  readonly text: string | undefined;
  readonly written: Span;
}

async function readMark(target: string): Promise<Mark> {
  try {
    await using mark = await open(join(target, UNFINISHED_MARK));
    const { birthtimeNs: since, mtimeNs: until } = await mark.stat({ bigint: true });
    return { text: await mark.readFile("utf8"), written: { since, until } };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    return { text: undefined, written: { since: 0n, until: 0n } };
  }
}

/** Says that what is in the target is a restore's alone, and unfinished. It is on the disk before anything else is. */
export async function markUnfinished({ target, own = "" }: TargetOptions, what: string): Promise<void> {
  await (await leaveMark(target, own, what)).close();
}

const STILL_MS = 1000;

export interface BesideOptions {
  readonly what: string;
  readonly clock: Clock;
  /** As the target was found. Default false. */
  readonly interrupted?: boolean;
}

/**
 * Does work that writes files beside those that are there, and says so for as long as it goes on: whoever finds what it
 * left when it was killed can tell that from what others have written before and since.
 */
export async function besideOthers<T>(
  { target, fence, deleteExtra = false }: RestoreOptions,
  { what, clock, interrupted = false }: BesideOptions,
  work: () => Promise<T>,
): Promise<T> {
  // What is left would be deleted by the next attempt anyway, and so would the mark by this one.
  if (!fence || deleteExtra) return work();
  const text = `beside others${interrupted ? INTERRUPTED : ""}: ${fence.run}`;
  await using mark = await leaveMark(target, text, what);
  let cancel = () => {};
  // It gets its time by the file system's clock, as files do. The mark itself is held: another's is not written to.
  const stillAtWork = () => mark.write(text, 0).catch(() => {});
  let saying: Promise<unknown> = Promise.resolve();
  const later = () => {
    cancel = clock.after(STILL_MS, () => {
      saying = stillAtWork();
      later();
    });
  };
  later();
  try {
    return await work();
  } finally {
    cancel();
    await saying;
    await stillAtWork();
  }
}

/** What a kill leaves of it is called like what it leaves of a look at the target: nobody takes that for data. */
const NEW_MARK = ".holdfast-probe-unfinished";

/**
 * A new file, whoever left one before: that stays until this one is there. Everybody may read it: a backup of the volume
 * does.
 */
async function leaveMark(target: string, text: string, what: string): Promise<FileHandle> {
  const path = join(target, NEW_MARK);
  try {
    await rm(path, { force: true });
    const mark = await open(path, "wx", 0o644);
    try {
      await mark.writeFile(text);
      await mark.sync();
      await rename(path, join(target, UNFINISHED_MARK));
      await using folder = await open(target);
      // Not every file system can do that with a folder.
      await folder.sync().catch(() => {});
      return mark;
    } catch (error) {
      await mark.close();
      throw error;
    }
  } catch (cause) {
    throw targetError(what, cause);
  }
}
