import { keyOf, type OwnerReference } from "../../../kube/object.ts";
import { someOf } from "../../../lib/some_of.ts";
import { OWNER_LABEL, ownerLabel } from "../../work/run_labels.ts";
import type { GitOpsOwner } from "../gitops/observe_gitops.ts";
import type { VolumeUse, VolumeUser } from "./observe_users.ts";
import type { ScalingIntent } from "./scaling_intent.ts";
import { holdersOf } from "./scaling_marks.ts";
import { hiddenText, scalingRule, type Workload, workloadText } from "./workload.ts";

export interface UseQuestion extends VolumeUse {
  /** The name of the claim. */
  readonly claim: string;
  /** The UID of whoever wants the volume for itself. Its own movers do not count. */
  readonly holder: string;
  /** What uses the volume may be scaled down. */
  readonly mayScale: boolean;
  /** The setting that would allow it, with its value. */
  readonly scaleDown: string;
  /** The claim is new: whoever wants it waits for its data. Default false. */
  readonly isNew?: boolean;
  /** Workloads wait for the data: those that can be scaled are held also while others keep the volume. Default false. */
  readonly holds?: boolean;
}

/** Whether a volume is free to be written. */
export type UseDecision =
  | { readonly type: "Free" }
  /** It gets free by itself. */
  | { readonly type: "Waiting"; readonly reason: string; readonly message: string }
  /** Somebody has to stop what uses it, or to put right what is wrong with it. */
  | { readonly type: "InUse"; readonly reason: string; readonly message: string; readonly who?: string }
  /** It gets free, once these are down. */
  | {
      readonly type: "Scale";
      readonly reason: string;
      readonly message: string;
      /** Those of them that have, or are about to have, pods. */
      readonly who?: string;
      readonly workloads: readonly Workload[];
      /** What is, or is about to be, paused meanwhile. Default: nothing. */
      readonly owners?: readonly GitOpsOwner[];
      readonly intents: readonly ScalingIntent[];
    };

/** Whether a volume can be had for oneself, and what has to be scaled down for it. Pure. */
export function decideUse(question: UseQuestion): UseDecision {
  const { users, down, claim, holder, mayScale } = question;
  const others = users.filter(
    ({ pod }) => pod.metadata.labels?.[OWNER_LABEL] !== ownerLabel({ uid: holder }),
  );
  const movers = others.filter(({ pod }) => pod.metadata.labels?.[OWNER_LABEL] !== undefined);
  const people = others.filter(({ pod }) => pod.metadata.labels?.[OWNER_LABEL] === undefined);
  if (!mayScale)
    return people.length > 0 ? inUse(question, people) : (comesBack(question) ?? busy(claim, movers));
  const stuck = people.filter(({ workload }) => workload === undefined);
  const losing = losingClaims(question);
  const refusal =
    stuck.length > 0 ? cannotScale(claim, stuck) : losing.length > 0 ? wouldLose(claim, losing) : undefined;
  if (refusal && !question.holds) return refusal;
  const kept = new Set(losing.map(({ object }) => object.metadata.uid));
  const workloads = distinct([...people.flatMap(({ workload }) => workload ?? []), ...down]).filter(
    ({ object }) => !kept.has(object.metadata.uid),
  );
  const intents = workloads
    .filter(({ object, replicas }) => replicas > 0 || !holdersOf(object).includes(holder))
    .map((workload) => ({ type: "ScaleDown", workload, holder }) as const);
  if (intents.length > 0) {
    const message = `${names(workloads)} is scaled down to have PersistentVolumeClaim ${claim} alone, and brought back afterwards.`;
    const up = workloads.filter(({ replicas }) => replicas > 0);
    const who = up.length > 0 ? { who: names(up) } : {};
    return { type: "Scale", reason: "ScalingDown", message, ...who, workloads, intents };
  }
  if (refusal) return refusal;
  if (people.length > 0) {
    const message = `The pods of ${names(workloads)} have the volume of PersistentVolumeClaim ${claim} until they have ended.`;
    return { type: "Waiting", reason: "ScalingDown", message };
  }
  return busy(claim, movers);
}

function inUse(question: UseQuestion, users: readonly VolumeUser[]): UseDecision {
  const { claim, isNew, scaleDown } = question;
  const who = whose(users);
  const losing = losingClaims(question);
  const first = losing.length > 0 ? ` ${keepFirst(losing)}` : "";
  const message = isNew
    ? `PersistentVolumeClaim ${claim} is wanted by ${who}, which would start before the data is in it.${first} Scale the workload down until the restore has ended.`
    : `PersistentVolumeClaim ${claim} is in use by ${who}.${first} Scale the workload down, or set ${scaleDown} to have that done for the time of the restore.`;
  return { type: "InUse", reason: "VolumeInUse", message, who };
}

/** What would go down to zero, and have Kubernetes delete its claims for that: the data would go with them. */
function losingClaims({ users, down }: UseQuestion): readonly Workload[] {
  const pods = users.flatMap(({ workload, below = [] }) =>
    workload && [workload, ...below].some(deletesClaims) ? [workload] : [],
  );
  return distinct([...pods, ...down.filter(deletesClaims)]).filter(({ replicas }) => replicas > 0);
}

interface WithClaims {
  readonly persistentVolumeClaimRetentionPolicy?: { readonly whenScaled?: string };
  readonly volumeClaimTemplates?: readonly unknown[];
}

function deletesClaims({ object: { spec } }: Workload): boolean {
  const { persistentVolumeClaimRetentionPolicy: policy, volumeClaimTemplates = [] } = (spec ??
    {}) as WithClaims;
  return policy?.whenScaled === "Delete" && volumeClaimTemplates.length > 0;
}

function keepFirst(losing: readonly Workload[]): string {
  return `Kubernetes deletes the PersistentVolumeClaims of ${names(losing)} when it is scaled down. Set persistentVolumeClaimRetentionPolicy.whenScaled to Retain first.`;
}

function wouldLose(claim: string, losing: readonly Workload[]): UseDecision {
  const who = names(losing);
  const message = `PersistentVolumeClaim ${claim} is used by ${who}, which is left as it is. ${keepFirst(losing)}`;
  return { type: "InUse", reason: "CannotScaleDown", who, message };
}

function cannotScale(claim: string, stuck: readonly VolumeUser[]): UseDecision {
  const unread = stuck.filter((user) => user.hidden);
  const users = unread.length > 0 ? unread : stuck;
  const hidden = users.flatMap((user) => user.hidden ?? []);
  const who = whose(users);
  const why =
    hidden.length > 0
      ? `which may not be read. Scale it down yourself, or grant the operator ${scalingRule(hidden.map(({ resource }) => resource))}.`
      : unscalable(users);
  const message = `PersistentVolumeClaim ${claim} is mounted by ${who}, ${why}`;
  return { type: "InUse", reason: "CannotScaleDown", who, message };
}

/** What to do about pods of something without replicas, by what that is. */
function unscalable(users: readonly VolumeUser[]): string {
  const kinds = new Set(users.map(({ pod }) => controllerOf(pod)?.kind));
  if (kinds.size === 1 && kinds.has("Job")) {
    const cronJobs = [...new Set(users.flatMap(({ cronJob }) => (cronJob ? `CronJob ${cronJob}` : [])))];
    const suspend = cronJobs.length > 0 ? `, and suspend ${someOf(cronJobs, MOST_NAMES)}` : "";
    return `which ends by itself. The restore begins then. Delete the Job to begin now${suspend}.`;
  }
  if (kinds.has("DaemonSet"))
    return "which has pods on all of its nodes, and no replicas. Delete the DaemonSet, or keep it off these nodes with its nodeSelector, until the restore has ended.";
  return "which belongs to nothing that has replicas. Delete the pod, or stop what makes it.";
}

function controllerOf({ metadata }: VolumeUser["pod"]): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller);
}

/** The pods, and what they belong to. */
function whose(users: readonly VolumeUser[]): string {
  const owners = users.flatMap(({ pod, workload, hidden }) => {
    if (workload) return workloadText(workload);
    const owner = controllerOf(pod);
    return hidden ? hiddenText(hidden) : owner ? `${owner.kind} ${owner.name}` : [];
  });
  return `${pods(users)}${owners.length > 0 ? ` of ${someOf([...new Set(owners)], MOST_NAMES)}` : ""}`;
}

/** What is down for somebody else comes back at a moment of its own. */
function comesBack({ down, claim, holder, scaleDown }: UseQuestion): UseDecision | undefined {
  const others = down.filter(({ object }) => holdersOf(object).some((uid) => uid !== holder));
  if (others.length === 0) return undefined;
  const message = `${names(others)}, which uses PersistentVolumeClaim ${claim}, is scaled down for another restore, and comes back after it. It begins when nothing uses the claim; with ${scaleDown} it begins now.`;
  return { type: "Waiting", reason: "VolumeBusy", message };
}

function busy(claim: string, movers: readonly VolumeUser[]): UseDecision {
  if (movers.length === 0) return { type: "Free" };
  const message = `PersistentVolumeClaim ${claim} is mounted by ${pods(movers)} of another backup or restore; this one begins when that has ended.`;
  return { type: "Waiting", reason: "VolumeBusy", message };
}

function distinct(workloads: readonly Workload[]): readonly Workload[] {
  return [...new Map(workloads.map((one) => [one.object.metadata.uid, one])).values()];
}

const MOST_NAMES = 5;

function names(workloads: readonly Workload[]): string {
  return someOf(workloads.map(workloadText), MOST_NAMES);
}

function pods(users: readonly VolumeUser[]): string {
  return someOf(
    users.map(({ pod }) => `pod ${keyOf(pod)}`),
    MOST_NAMES,
  );
}
