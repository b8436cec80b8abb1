import { EngineError } from "../../wire/engine_error.ts";
import type { SnapshotFilter } from "../../wire/work.ts";
import type { CopyOptions, CopyResult } from "../engine.ts";
import { callFor } from "../meter.ts";
import { type CommandOptions, runRestic } from "./command.ts";
import { copyClash } from "./copy_clash.ts";
import { Counters } from "./counters.ts";
import { listSnapshots, type RepositoryContext } from "./repository_context.ts";

/** Copies snapshots with their tags; those that were copied before stay as they are. */
export async function copySnapshots(
  source: RepositoryContext,
  destination: RepositoryContext,
  { filter = {}, ...options }: CopyOptions,
): Promise<CopyResult> {
  const call = callFor("copying snapshots", options, destination.restic.clock);
  const clash = copyClash(source.reach, destination.reach);
  if (clash.length > 0) {
    throw new EngineError("Unsupported", `restic cannot use two values of ${clash.join(", ")} at once`, {
      remedy:
        "Let both repositories be reached with the same credentials and settings, or one of them through an rclone remote.",
    });
  }
  const wanted = await idsOf(source, filter, call);
  if (wanted.length === 0) return { copied: 0, alreadyThere: 0 };
  const before = (await idsOf(destination, {}, call)).length;
  const { RESTIC_REPOSITORY = "", RESTIC_PASSWORD = "" } = source.restic.env;
  const counters = new Counters(call.meter);
  await runRestic(destination.restic, [...source.restic.args, "copy", ...wanted], {
    ...call,
    onLine: (line) => counters.read(line),
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

async function idsOf(context: RepositoryContext, filter: SnapshotFilter, options: CommandOptions) {
  const ids: string[] = [];
  for await (const { snapshot } of listSnapshots(context, filter, options)) ids.push(snapshot.id);
  return ids;
}
