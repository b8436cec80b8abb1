import { sleep } from "../../lib/clock.ts";
import { isRecord } from "../../lib/json.ts";
import { EngineError } from "../../wire/engine_error.ts";
import { throwIfAborted } from "../aborted.ts";
import type { MaintainOptions, MaintainResult } from "../engine.ts";
import { callFor } from "../meter.ts";
import type { CommandOptions } from "./command.ts";
import { CLIENT } from "./connection.ts";
import { isAway, kopiaFailure } from "./failure.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { removeLeftovers } from "./leftovers.ts";
import { orphans } from "./orphans.ts";

const WHAT = "maintaining the repository";
/** How much a check tells. */
export const MAX_PROBLEMS = 100;
const SECOND_AND_MORE = 1100;

/** Runs kopia's maintenance as its one maintainer, and clears away companions whose data is gone. */
export async function maintain(
  repository: KopiaRepository,
  options: MaintainOptions,
): Promise<MaintainResult> {
  const { mode, immediate = false, signal } = options;
  const { location, program } = repository.connection;
  const { clock } = program;
  const call = callFor(WHAT, options, clock);
  const known = await becomeOwner(repository, options, call);
  if (mode === "Full") await reapCompanions(repository, call);
  if (mode === "Full" && "filesystem" in location.backend)
    await removeLeftovers(location.backend.filesystem.path, clock);
  const before = mode === "Full" ? await storedBytes(repository, call) : 0;
  const args = [
    "maintenance",
    "run",
    mode === "Full" ? "--full" : "--no-full",
    `--safety=${immediate ? "none" : "full"}`,
    // kopia would compare the maintainer with the client's own name; the comparison is made above.
    "--force",
  ];
  await repository.run(args, call);
  if (mode === "Full" && immediate) {
    // The first pass finds what nobody needs any more; only a later one removes it. kopia counts in seconds.
    await sleep(clock, SECOND_AND_MORE, signal).catch(() => throwIfAborted(WHAT, signal));
    await repository.run(args, call);
  }
  // A quick run removes next to nothing: what kopia notes of it is enough, and the storage is not listed for it.
  if (mode === "Quick") return { freedBytes: freedSince(known, await maintenanceInfo(repository, call)) };
  return { freedBytes: Math.max(0, before - (await storedBytes(repository, call))) };
}

/** What a repository is created with, before anybody maintains it. */
const NOBODY = ["", `${CLIENT.username}@${CLIENT.hostname}`];

async function becomeOwner(
  repository: KopiaRepository,
  { owner: us = `${CLIENT.username}@${CLIENT.hostname}`, takeOver = false, ...options }: MaintainOptions,
  call: CommandOptions,
): Promise<unknown> {
  const { takeOverFrom, onOwner } = options;
  const info = await maintenanceInfo(repository, call);
  const owner = isRecord(info) && typeof info.owner === "string" ? info.owner : "";
  const mayClaim = NOBODY.includes(owner) || (takeOver && owner === (takeOverFrom ?? owner));
  if (owner !== us && !mayClaim) {
    onOwner?.(owner);
    throw new EngineError("OwnedByAnother", `${WHAT}: ${owner} is its maintainer`, {
      remedy: `Let ${owner} maintain it, or allow a takeover when that one is gone.`,
    });
  }
  if (owner !== us) await repository.run(["maintenance", "set", `--owner=${us}`], call);
  onOwner?.(us);
  return info;
}

async function maintenanceInfo(repository: KopiaRepository, call: CommandOptions): Promise<unknown> {
  const { stdout } = await repository.run(["maintenance", "info", "--json"], call);
  return JSON.parse(stdout);
}

/** Where kopia notes how much a task has deleted. */
const DELETED = ["deletedTotalSize", "deletedBlobSize"];

/** What the tasks have deleted that are noted in `after` and were not in `before`. */
export function freedSince(before: unknown, after: unknown): number {
  const known = new Set(tasksIn(before).map(([key]) => key));
  const fresh = tasksIn(after).filter(([key]) => !known.has(key));
  return fresh.reduce((sum, [, task]) => sum + deletedBy(task), 0);
}

/** Each run of a task, with what tells it apart. */
function tasksIn(info: unknown): readonly (readonly [string, unknown])[] {
  const runs = isRecord(info) && isRecord(info.schedule) ? info.schedule.runs : undefined;
  return Object.entries(isRecord(runs) ? runs : {}).flatMap(([task, all]) =>
    (Array.isArray(all) ? all : []).map(
      (run: unknown) => [`${task} ${isRecord(run) ? run.start : ""}`, run] as const,
    ),
  );
}

function deletedBy(task: unknown): number {
  const notes = isRecord(task) && Array.isArray(task.extra) ? task.extra : [];
  const figures = notes.flatMap((note: unknown) => {
    const data = isRecord(note) && isRecord(note.data) ? note.data : {};
    return DELETED.map((name) => data[name]);
  });
  return figures.reduce<number>((sum, figure) => sum + (typeof figure === "number" ? figure : 0), 0);
}

async function reapCompanions(repository: KopiaRepository, call: CommandOptions): Promise<void> {
  const { clock } = repository.connection.program;
  const gone = orphans(await repository.manifests(call), clock.now());
  if (gone.length > 0) await repository.run(["snapshot", "delete", "--delete", ...gone], call);
}

async function storedBytes(repository: KopiaRepository, call: CommandOptions): Promise<number> {
  const { stdout } = await repository.run(["blob", "stats", "--raw"], call);
  return Number(/Total: (\d+)/.exec(stdout)?.[1] ?? 0);
}

/** Verifies snapshots: all of them, or those that `args` name. What is wrong with them is the result, not a failure. */
export async function checkSnapshots(
  repository: KopiaRepository,
  args: readonly string[],
  options: CommandOptions,
): Promise<{ readonly problems: readonly string[]; readonly files?: number }> {
  const command = ["snapshot", "verify", `--max-errors=${MAX_PROBLEMS}`, ...args];
  try {
    const { words } = await repository.runReading(command, {
      ...options,
      accept: ({ words }) => options.signal?.aborted !== true && /^encountered \d+ errors?/m.test(words),
    });
    const problems = problemsIn(words, options.what);
    const files = /Finished processing \d+ objects .*Read (\d+) files/.exec(words)?.[1];
    return { problems: problems.slice(0, MAX_PROBLEMS), ...(files ? { files: Number(files) } : {}) };
  } catch (error) {
    if (!(error instanceof EngineError) || error.class !== "Corrupt") throw error;
    return { problems: [error.detail ?? error.message] };
  }
}

const PROCESSING = "error processing";

/** How kopia begins what it says of an entry. Before that there is a path, in which anything may stand. */
const OF_ENTRY =
  /: (?=verify object|error verifying content|object \S+ is backed|error reading (?:object|directory))/;

/** What verifying has found to be wrong. An answer that did not come is no damage: without any, it is a failure. */
export function problemsIn(words: string, what: string): readonly string[] {
  const problems = words.split("\n").filter((line) => line.startsWith(PROCESSING));
  const damage = problems.filter(isDamage);
  const [away] = problems;
  if (damage.length === 0 && away) throw kopiaFailure(what, { code: 1, signal: null, words: away });
  return damage;
}

/** Whether a line says of an entry that it is damaged, and not merely that the storage went away meanwhile. */
export function isDamage(line: string): boolean {
  return line.startsWith(PROCESSING) && !isAway(line.split(OF_ENTRY)[1] ?? "");
}

/** Whether the name of the entry goes on in the next line. */
export function isCutOff(line: string): boolean {
  return !OF_ENTRY.test(line);
}

/** The path of the entry that such a line is about, relative to its snapshot's root; "" is the root itself. */
export function entryIn(line: string): string {
  const [place = ""] = line.split(OF_ENTRY);
  return /@\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \w+(?:\/(.*))?$/s.exec(place)?.[1] ?? "";
}
