import { ok, type Result } from "../lib/result.ts";
import { type PodVolumeCommand, parsePodVolume } from "../wire/pod_volume_args.ts";
import type { LogLine } from "../wire/report.ts";
import { type WorkSpec, workKind } from "../wire/work.ts";
import type { ReporterOptions } from "./report/reporter.ts";
import { BadWork } from "./spec/bad_work.ts";

/** What the command line says; nothing where there is none. */
export function commandOf(args: readonly string[] = []): Result<PodVolumeCommand | undefined, string> {
  return args.length === 0 ? ok(undefined) : parsePodVolume(args);
}

/** Whether the command line asks for what the engine says. */
export function wantsDebug(args: readonly string[]): boolean {
  const command = commandOf(args);
  return command.ok && command.value?.logLevel === "debug";
}

/** The work spec as the command line has it. Throws BadWork where the two are of different work. */
export function commandedSpec(spec: WorkSpec, { direction, volumePath }: PodVolumeCommand): WorkSpec {
  const { work } = spec;
  if (direction === "backup" && "snapshot" in work && work.snapshot.sources.length === 1) {
    const sources = work.snapshot.sources.map((source) => ({ ...source, path: volumePath }));
    return { ...spec, work: { snapshot: { ...work.snapshot, sources } } };
  }
  if (direction === "restore" && "restore" in work)
    return { ...spec, work: { restore: { ...work.restore, target: volumePath } } };
  throw new BadWork(
    `the command line asks for pod-volume ${direction}, and the work spec for ${workKind(work)}`,
  );
}

/** How the log looks, as the command line has it. */
export function logOf({ logLevel, logFormat }: PodVolumeCommand): Pick<ReporterOptions, "level" | "format"> {
  return { level: logLevel, ...(logFormat === "text" ? { format: textLine } : {}) };
}

function textLine({ level, message }: LogLine, now: number): string {
  return `time=${JSON.stringify(new Date(now).toISOString())} level=${level} msg=${JSON.stringify(message)}`;
}
