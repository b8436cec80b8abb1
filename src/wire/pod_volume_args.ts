import { parseArgs } from "node:util";
import { err, ok, type Result } from "../lib/result.ts";
import type { LogLine } from "./report.ts";

/** What the mover of a pod's volume is told on its command line. */
export interface PodVolumeCommand {
  readonly direction: "backup" | "restore";
  /** Where the pod has the volume. It takes the place of the path in the work spec. */
  readonly volumePath: string;
  /** The PodVolumeBackup or PodVolumeRestore that it works for, which the log names. */
  readonly name: string;
  /** How long it may take to open the repository. */
  readonly resourceTimeoutSeconds: number;
  /** How lines of the log look. The report is always JSON. */
  readonly logFormat: "text" | "json";
  /** Less important lines are left out. */
  readonly logLevel: LogLine["level"];
}

/** The first argument of such a mover. */
export const POD_VOLUME_ARGUMENT = "pod-volume";

/** The argument with which the mover's image does nothing but stand on a node, for a server that looks for it there. */
export const NODE_AGENT_ARGUMENT = "node-agent";

/** The argument with which it keeps a pod waiting for its volumes, before the UID of the restore. */
export const RESTORE_WAIT_ARGUMENT = "restore-wait";

const DEFAULT_TIMEOUT = "10m0s";
/** The names that Velero has for levels, and what they are here. */
const LEVELS: Readonly<Record<string, LogLine["level"]>> = {
  trace: "debug",
  debug: "debug",
  info: "info",
  warn: "warn",
  warning: "warn",
  error: "error",
  fatal: "error",
  panic: "error",
};

/** The command line, as `parsePodVolume` reads it. */
export function podVolumeArgs(command: PodVolumeCommand): readonly string[] {
  const { direction, volumePath, name, resourceTimeoutSeconds, logFormat, logLevel } = command;
  return [
    POD_VOLUME_ARGUMENT,
    direction,
    `--volume-path=${volumePath}`,
    `--pod-volume-${direction}=${name}`,
    `--resource-timeout=${resourceTimeoutSeconds}s`,
    `--log-format=${logFormat}`,
    `--log-level=${logLevel}`,
  ];
}

/** Reads a command line; or says what is wrong with it. */
export function parsePodVolume(args: readonly string[]): Result<PodVolumeCommand, string> {
  const [first, direction, ...rest] = args;
  if (first !== POD_VOLUME_ARGUMENT || (direction !== "backup" && direction !== "restore"))
    return err(`the mover knows pod-volume backup and pod-volume restore, and not ${args.join(" ")}`);
  const values = flagsOf(rest, direction);
  if (!values.ok) return values;
  const { "volume-path": volumePath, "log-format": logFormat = "text" } = values.value;
  const name = values.value[`pod-volume-${direction}`];
  const { "log-level": level = "info", "resource-timeout": timeout = DEFAULT_TIMEOUT } = values.value;
  if (!volumePath?.startsWith("/")) return err("--volume-path must be an absolute path");
  if (!name) return err(`--pod-volume-${direction} must name an object`);
  if (logFormat !== "text" && logFormat !== "json")
    return err(`--log-format is ${logFormat}: it must be text or json`);
  const logLevel = LEVELS[level];
  if (logLevel === undefined)
    return err(`--log-level is ${level}: it must be one of ${Object.keys(LEVELS).join(", ")}`);
  const resourceTimeoutSeconds = secondsOf(timeout);
  if (resourceTimeoutSeconds === undefined)
    return err(`--resource-timeout is ${timeout}: it must be a duration such as 10m0s`);
  return ok({ direction, volumePath, name, resourceTimeoutSeconds, logFormat, logLevel });
}

function flagsOf(
  args: readonly string[],
  direction: string,
): Result<Readonly<Record<string, string | undefined>>, string> {
  const names = ["volume-path", `pod-volume-${direction}`, "resource-timeout", "log-format", "log-level"];
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  try {
    return ok(parseArgs({ args: [...args], options }).values as Readonly<Record<string, string | undefined>>);
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
}

function secondsOf(duration: string): number | undefined {
  const [whole, hours = 0, minutes = 0, seconds = 0] =
    /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration) ?? [];
  const sum = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return whole && sum > 0 ? sum : undefined;
}
