import { posix } from "node:path";
import { isRecord } from "../../lib/json.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { MissingData } from "../../wire/missing.ts";
import type { CheckOptions, CheckResult } from "../engine.ts";
import { HitFiles, missingData } from "../hit_files.ts";
import { jsonObjects } from "../json_objects.ts";
import type { Call } from "../meter.ts";
import { runRestic, streamRestic } from "./command.ts";
import { isAway } from "./failure.ts";
import { listSnapshots, type RepositoryContext, WITHOUT_LOCK } from "./repository_context.ts";

const MAX_PROBLEMS = 100;
/** Names that one command takes. */
const PACKS_AT_ONCE = 500;
/** What was being read when the storage went away. */
const BROKEN_OFF = /\bEOF\b|context canceled/;
/** What is said after everything else, of no piece in particular. */
const IN_ALL = /^The repository is damaged and must be repaired/;

/**
 * Checks a repository: whether its storage holds every pack that its index names, every folder of every snapshot, and as
 * much of the data as is asked for. A quick check reads folders that are in the cache from there. When a pack is
 * missing, restic is asked which files of which snapshots were in it.
 */
export async function checkRepository(
  context: RepositoryContext,
  options: CheckOptions,
  call: Call,
): Promise<CheckResult> {
  const packs = new Set<string>();
  const problems = await problemsIn(context, options, { packs, call });
  if (packs.size === 0) return { problems };
  return { problems, missing: await hitBy([...packs], context, call) };
}

interface Look {
  /** Is told of packs that are missing. */
  readonly packs: Set<string>;
  readonly call: Call;
}

async function problemsIn(
  { restic, readOnly }: RepositoryContext,
  { dataPercent = 0, quick = false }: CheckOptions,
  { packs, call }: Look,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const onLine = (line: unknown) => {
    if (!isRecord(line) || line.message_type !== "error") return;
    const problem = String(line.message).trim();
    const lost = /^pack ([0-9a-f]{64}): does not exist/.exec(problem)?.[1];
    if (lost !== undefined) packs.add(lost);
    if (problems.length < MAX_PROBLEMS && !isAway(problem) && !IN_ALL.test(problem)) problems.push(problem);
  };
  const subset =
    dataPercent >= 100 ? ["--read-data"] : dataPercent > 0 ? [`--read-data-subset=${dataPercent}%`] : [];
  const depth = quick ? ["--with-cache"] : subset;
  try {
    const args = ["check", "--json", ...depth, ...(readOnly ? WITHOUT_LOCK : [])];
    await runRestic(restic, args, { ...call, onLine });
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    // What it named before it failed in a way that nobody knows, or for the storage, is damage all the same.
    const away = error.class === "Unreachable";
    const found = away ? problems.filter((problem) => !BROKEN_OFF.test(problem)) : problems;
    const broken = away || error.class === "EngineFailed";
    const damaged = error.class === "Corrupt" || (broken && found.length > 0);
    if (!damaged) throw error;
    return found.length > 0 ? found : [error.detail ?? error.message];
  }
  return problems;
}

/** Which snapshots need the packs that are missing. A folder that is gone hides what was in it. */
async function hitBy(packs: readonly string[], context: RepositoryContext, call: Call): Promise<MissingData> {
  const hit = new Map<string, HitFiles>();
  const filesOf = (id: string) => {
    const files = hit.get(id) ?? new HitFiles();
    hit.set(id, files);
    return files;
  };
  const snapshots = new Map<string, { readonly root: string }>();
  const listed = [];
  for await (const { snapshot, rootPath } of listSnapshots(context, {}, call)) {
    snapshots.set(snapshot.id, { root: rootPath ?? "/" });
    listed.push(snapshot);
  }
  for (let i = 0; i < packs.length; i += PACKS_AT_ONCE) {
    const args = ["find", "--json", "--pack", ...packs.slice(i, i + PACKS_AT_ONCE), ...WITHOUT_LOCK];
    const output = streamRestic(context.restic, args, call);
    const unreadable = (id: string) => filesOf(id).add("");
    for await (const found of jsonObjects(withUnreadable(output, unreadable))) {
      if (!isRecord(found) || typeof found.snapshot !== "string" || typeof found.path !== "string") continue;
      const { root = "/" } = snapshots.get(found.snapshot) ?? {};
      filesOf(found.snapshot).add(within(root, found.path));
    }
  }
  const known = listed.flatMap((snapshot) => {
    const files = hit.get(snapshot.id);
    return files ? [{ snapshot, files }] : [];
  });
  return missingData(packs.length, known);
}

function within(root: string, path: string): string {
  const relative = posix.relative(root, path);
  return relative.startsWith("..") ? posix.relative("/", path) : relative;
}

/** Passes restic's output on, and tells of the snapshots of which it says, on lines of their own, that a folder is gone. */
async function* withUnreadable(
  output: AsyncIterable<Uint8Array>,
  tell: (snapshot: string) => void,
): AsyncIterable<Uint8Array> {
  let line = "";
  for await (const part of output) {
    const [first = "", ...others] = Buffer.from(part).toString("latin1").split("\n");
    line = `${line}${first}`.slice(0, LONGEST);
    for (const next of others) {
      const id = OF_SNAPSHOT.exec(line)?.[1];
      if (id !== undefined) tell(id);
      line = next.slice(0, LONGEST);
    }
    yield part;
  }
}

const OF_SNAPSHOT = /^ \.\.\. which belongs to snapshot ([0-9a-f]{64})$/;
/** Of a line that may be one of these. */
const LONGEST = 200;
