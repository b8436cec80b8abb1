import { EngineError } from "../../wire/engine_error.ts";
import type { SnapshotFilter } from "../../wire/work.ts";
import type { CopyOptions, CopyResult } from "../engine.ts";
import { type CommandOptions, runRestic } from "./command.ts";
import { listSnapshots, type RepositoryContext } from "./repository_context.ts";

/** What the driver sets for every repository, and hands over under names of its own. */
const OWN_NAMES = ["RESTIC_REPOSITORY", "RESTIC_PASSWORD", "HOME", "TMPDIR"];

/** Copies snapshots with their tags; those that were copied before stay as they are. */
export async function copySnapshots(
  source: RepositoryContext,
  destination: RepositoryContext,
  { filter = {}, signal }: CopyOptions,
): Promise<CopyResult> {
  const call = { what: "copying snapshots", signal };
  const clash = clashingNames(source.restic.env, destination.restic.env);
  if (clash.length > 0) {
    throw new EngineError("Unsupported", `restic cannot use two values of ${clash.join(", ")} at once`, {
      remedy: "Give both repositories the same credentials, or reach one of them through an rclone remote.",
    });
  }
  const wanted = await idsOf(source, filter, call);
  if (wanted.length === 0) return { copied: 0, alreadyThere: 0 };
  const before = (await idsOf(destination, {}, call)).length;
  const { RESTIC_REPOSITORY = "", RESTIC_PASSWORD = "" } = source.restic.env;
  await runRestic(destination.restic, [...source.restic.args, "copy", ...wanted], {
    ...call,
    env: {
      ...source.restic.env,
      ...destination.restic.env,
      RESTIC_FROM_REPOSITORY: RESTIC_REPOSITORY,
      RESTIC_FROM_PASSWORD: RESTIC_PASSWORD,
    },
  });
  const copied = (await idsOf(destination, {}, call)).length - before;
  return { copied, alreadyThere: wanted.length - copied };
}

type Env = Readonly<Record<string, string>>;

function clashingNames(a: Env, b: Env): readonly string[] {
  return Object.keys(a).filter(
    (name) => !OWN_NAMES.includes(name) && b[name] !== undefined && b[name] !== a[name],
  );
}

async function idsOf(context: RepositoryContext, filter: SnapshotFilter, options: CommandOptions) {
  const ids: string[] = [];
  for await (const { snapshot } of listSnapshots(context, filter, options)) ids.push(snapshot.id);
  return ids;
}
