import { complaintOf, namedText, type ShownObject } from "../../core/view/shown_object.ts";
import { OWNER_LABEL, operationOf, ownerLabel } from "../../core/work/run_labels.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { ApiError, isNotFound } from "../../kube/api_error.ts";
import { type Pod, Pods } from "../../kube/builtin.ts";
import { sleep } from "../../lib/clock.ts";
import { lines } from "../../lib/lines.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { referenceOf } from "../frame/kinds.ts";
import { CommandProblem } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { logText } from "../logs/log_text.ts";

/** Between two looks at a mover that has not begun. */
const PAUSE = 300;
/** In these a mover is still to be expected. */
const UNDER_WAY = ["Pending", "Running", "Resolving", "Restoring", "Initializing", "Deleting"];
const WITHOUT_MOVERS = [backupConfigResource.kind, backupScheduleResource.kind];

/**
 * What the movers of an object said: from their pods while there are some, else what its status kept. Whoever follows
 * them waits for their beginning, hears one after the other, and is told by the code how it ended.
 */
export async function logs(call: Call): Promise<ExitCode> {
  const { given, signal, progress, clock } = call;
  const { resource, name } = referenceOf(given.word(0), { usual: "backup" });
  const cluster = await call.cluster();
  const { client, pods } = cluster;
  const where = resource.namespaced ? { namespace: namespaceOf(call, cluster), name } : { name };
  const follow = given.flag("follow");
  const known = new Set<string>();
  let before: ShownObject | undefined;
  for (;;) {
    const object = await client.get(resource, where, { signal }).catch((error: unknown) => {
      if (before && isNotFound(error)) return undefined;
      throw error;
    });
    progress.clear();
    if (!object) return wentAway(before);
    before = object;
    const labelSelector = `${OWNER_LABEL}=${ownerLabel(object.metadata)}`;
    const { items } = await client.list(Pods, { labelSelector, signal, ...namespaceOfRuns(object) });
    // Hooks have pods, too.
    const movers = items.filter((pod) => operationOf(pod) !== undefined && !known.has(pod.metadata.uid));
    const pod = follow ? movers.toSorted(byAge)[0] : movers.toSorted(byAge).at(-1);
    const heard: Heard = pod ? await listen(call, pods, pod) : { type: "gone" };
    if (pod && heard.type === "all") {
      known.add(pod.metadata.uid);
      if (!follow) return EXIT.done;
      // Another attempt may follow.
      continue;
    }
    if (!follow) {
      if (heard.type === "waiting") throw saidNothing(heard);
      kept(call, pod ? await client.get(resource, where, { signal }) : object);
      return EXIT.done;
    }
    if (!isUnderWay(object)) {
      if (known.size === 0) tail(call, object);
      if (object.status?.phase === "Failed") throw hasFailed(object);
      return EXIT.done;
    }
    const why = heard.type === "waiting" ? heard.why : complaintOf(object);
    const told = known.size > 0 ? "how it goes on shows soon" : "its mover is on its way";
    progress.show(`  ${told}${why ? `: ${why}` : ""} …`);
    await sleep(clock, PAUSE, signal);
  }
}

/** What came of listening to a pod. */
type Heard =
  | { readonly type: "all" | "gone" }
  /** Nothing was said so far. */
  | { readonly type: "waiting"; readonly why: string; readonly cause?: ApiError };

async function listen(call: Call, pods: Cluster["pods"], pod: Pod): Promise<Heard> {
  const { given, signal, out, progress } = call;
  const follow = given.flag("follow");
  const raw = given.flag("raw");
  let silent = true;
  try {
    for await (const line of lines(pods.logs(pod.metadata, { signal, ...(follow ? { follow } : {}) }))) {
      silent = false;
      const said = raw ? { line } : logText(line, progress.columns - 2);
      progress.clear();
      if (said.line !== undefined) out(said.line);
      else if (said.progress !== undefined) progress.show(`  ${said.progress}`);
    }
  } catch (error) {
    if (silent && isNotFound(error)) return { type: "gone" };
    if (!isWaiting(error)) throw error;
    return { type: "waiting", why: error.said, cause: error };
  }
  // Of a pod that has no node yet the API server has an empty log, without a complaint.
  return silent && pod.status?.phase === "Pending"
    ? { type: "waiting", why: unscheduled(pod) }
    : { type: "all" };
}

function saidNothing({ why, cause }: Heard & { readonly type: "waiting" }): CommandProblem {
  const fix = "Follow it with -f, or try again in a moment.";
  return new CommandProblem("its mover has said nothing yet", { why, fix, ...(cause ? { cause } : {}) });
}

/** The node has not started the container: nothing was said so far. */
function isWaiting(error: unknown): error is ApiError {
  return (
    error instanceof ApiError && error.code === 400 && /waiting to start|ContainerCreating/.test(error.said)
  );
}

function unscheduled({ status }: Pod): string {
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  return scheduled?.message || "its pod has not started";
}

function isUnderWay({ kind, status }: ShownObject): boolean {
  return !WITHOUT_MOVERS.includes(kind) && UNDER_WAY.includes(status?.phase ?? "Pending");
}

function namespaceOfRuns({ metadata, status }: ShownObject): { readonly namespace?: string } {
  const namespace = status?.job?.namespace ?? metadata.namespace;
  return namespace === undefined ? {} : { namespace };
}

/** The oldest first. */
function byAge(a: Pod, b: Pod): number {
  return Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp);
}

/** How it ends where the object is no longer there: as was wanted of one that was being deleted. */
function wentAway(object: ShownObject | undefined): ExitCode {
  if (object?.status?.phase === "Deleting") return EXIT.done;
  throw new CommandProblem(`${object?.kind} ${object?.metadata.name} was deleted while it was followed`);
}

/** Prints what the status kept. Throws a CommandProblem where that is nothing. */
function kept(call: Call, object: ShownObject): void {
  if (tail(call, object)) return;
  throw new CommandProblem(`${object.kind} ${object.metadata.name} has no log`, {
    why: whyNoLog(object),
    fix: `holdfast explain ${namedText(object)} says how it stands.`,
    code: EXIT.notFound,
  });
}

function whyNoLog(object: ShownObject): string {
  const { phase = "Pending" } = object.status ?? {};
  const failed = phase === "Failed" ? complaintOf(object) : undefined;
  if (failed) return `It failed before a mover said anything: ${failed}`;
  return `No mover of it runs, and its status kept no lines: it is ${phase}.`;
}

function tail({ out, progress }: Call, { status }: ShownObject): boolean {
  const words = status?.failure?.stderrTail?.trim();
  if (!status?.logTail && !words) return false;
  progress.line("(no mover runs: these are the last lines that the status kept)");
  const lines = status?.logTail?.trimEnd().split("\n") ?? [];
  // The engine's own words name the file.
  const more = words ? words.split("\n").filter((line) => !status?.logTail?.includes(line)) : [];
  for (const line of [...lines, ...more]) out(line);
  return true;
}

function hasFailed(object: ShownObject): CommandProblem {
  return new CommandProblem(`${object.kind} ${object.metadata.name} has failed`, {
    why: complaintOf(object),
    fix: object.status?.failure?.remedy,
  });
}
