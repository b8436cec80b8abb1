import { isRecord } from "../../lib/json.ts";
import { EngineError } from "../../wire/engine_error.ts";
import { type MissingData, MOST_COUNTED } from "../../wire/missing.ts";
import { throwIfAborted } from "../aborted.ts";
import type { CheckOptions, CheckResult } from "../engine.ts";
import { type HitFiles, missingData } from "../hit_files.ts";
import type { Call } from "../meter.ts";
import { parsedLine } from "../parsed_line.ts";
import { DamagedEntries } from "./damaged_entries.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { checkSnapshots, MAX_PROBLEMS } from "./maintaining.ts";
import { keyOf, type Manifest, sortOut, toSnapshot } from "./manifest.ts";

/** Each takes a run of kopia's, and is made only after something was found to be missing. */
const MOST_EXAMINED = 200;

/**
 * Checks a repository: first whether its storage holds every pack that its index names, which takes one list of the
 * storage; then, unless it has to be quick, every folder of every snapshot, and as much of the data as is asked for.
 * When a pack is missing, each snapshot is looked at by itself: of those that share a file, kopia would name one.
 */
export async function checkRepository(
  repository: KopiaRepository,
  { dataPercent = 0, quick = false }: CheckOptions,
  call: Call,
): Promise<CheckResult> {
  const packs = await packsThatLack(repository, call);
  const args = [`--verify-files-percent=${dataPercent}`];
  const { problems: found } = quick ? { problems: [] } : await checkSnapshots(repository, args, call);
  const problems = [...packs.map(packProblem), ...found].slice(0, MAX_PROBLEMS);
  const missing = packs.filter(({ lack }) => lack === "missing").length;
  return missing === 0 ? { problems } : { problems, missing: await hitBy(missing, repository, call) };
}

interface BadPack {
  readonly lack: "missing" | "truncated";
  readonly id: string;
  readonly contents: number;
}

/** kopia says so of every content in them, and at the end of the packs themselves. */
async function packsThatLack(repository: KopiaRepository, call: Call): Promise<readonly BadPack[]> {
  const packs: BadPack[] = [];
  const overlook = (line: string) => {
    const pack = packIn(line);
    if (pack) packs.push(pack);
    return pack !== undefined || OF_CONTENT.test(line);
  };
  const found = () => call.signal?.aborted !== true && packs.length > 0;
  await repository.run(["content", "verify"], { ...call, overlook, accept: found });
  return packs;
}

const OF_CONTENT = /^content \w+ (?:depends on missing blob|out of bounds)/;

function packIn(line: string): BadPack | undefined {
  const [, lack, text = ""] = /^(missing|truncated)Pack\s+(\{.*\})$/.exec(line) ?? [];
  if (lack !== "missing" && lack !== "truncated") return undefined;
  const told = parsedLine(text);
  const pack = isRecord(told) ? told : {};
  return { lack, id: String(pack.packID ?? "?"), contents: Number(pack.numberOfReferencedContents ?? 0) };
}

function packProblem({ lack, id, contents }: BadPack): string {
  return `pack ${id} is ${lack === "missing" ? "missing" : "cut short"}; it held ${contents} pieces of content`;
}

/** Which snapshots need the packs that are missing, the newest first. Those with the same content are looked at once. */
async function hitBy(packs: number, repository: KopiaRepository, call: Call): Promise<MissingData> {
  const manifests = await listedOrLost(repository, call);
  // Without the packs that hold it, the list itself cannot be read.
  if (!manifests) return { packs, hit: [] };
  const { data, companions } = sortOut(manifests);
  const keys = new Set(companions.keys());
  const alike = Map.groupBy(data.toReversed(), (one) => {
    return `${one.root} ${companions.get(keyOf(one))?.root ?? ""}`;
  });
  const groups = [...alike.values()];
  const hit = [];
  for (const group of groups.slice(0, MOST_EXAMINED)) {
    const [newest] = group;
    if (!newest) continue;
    const files = await filesHit(repository, newest, companions.get(keyOf(newest)), call);
    if (files.count > 0) hit.push(...group.map((one) => ({ snapshot: toSnapshot(one, keys), files })));
  }
  const unexamined = groups.slice(MOST_EXAMINED).reduce((sum, group) => sum + group.length, 0);
  return missingData(packs, hit, unexamined);
}

async function listedOrLost(
  repository: KopiaRepository,
  call: Call,
): Promise<readonly Manifest[] | undefined> {
  try {
    return await repository.manifests(call);
  } catch (error) {
    if (error instanceof EngineError && error.class === "Corrupt") return undefined;
    throw error;
  }
}

async function filesHit(
  repository: KopiaRepository,
  { id }: Manifest,
  companion: Manifest | undefined,
  call: Call,
): Promise<HitFiles> {
  const damaged = new DamagedEntries();
  const ids = [id, ...(companion ? [companion.id] : [])];
  const args = ["snapshot", "verify", `--max-errors=${MOST_COUNTED}`, "--verify-files-percent=0", ...ids];
  const overlook = (line: string) => damaged.take(line);
  await repository.run(args, { ...call, overlook, accept: () => damaged.found });
  throwIfAborted(call.what, call.signal);
  return damaged.files;
}
