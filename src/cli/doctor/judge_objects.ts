import { REASONS } from "../../core/reconcile/reasons.ts";
import type { KindView } from "../../core/view/api_view.ts";
import { succeededSince } from "../../core/view/made_up_for.ts";
import {
  complaintOf,
  conditionOf,
  heldUp,
  namedText,
  type ShownObject,
} from "../../core/view/shown_object.ts";
import { durationText } from "../../core/view/times_text.ts";
import type { LostView, ProblemView } from "../../core/view/view.ts";
import type { BackupConfig } from "../../kinds/kopiur/generated/backup_config.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import { countText } from "../count_text.ts";
import { broken, type Finding, warning, well } from "./finding.ts";

const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";
/** A deletion or a wait that takes longer than this does not end by itself. */
const LONG = 15 * 60_000;

/** A claim, as far as its class is known. */
type Claim = KubeObject & { readonly spec?: { readonly storageClassName?: string } };

export interface StorageFacts {
  readonly classes: readonly (KubeObject & { readonly provisioner: string })[];
  /** Undefined where the cluster has no snapshots of volumes at all. */
  readonly snapshotClasses?: readonly (KubeObject & { readonly driver: string })[] | undefined;
  readonly configs: readonly BackupConfig[];
  /** As far as they may be looked at. */
  readonly claims: readonly Claim[];
}

/** Whether volumes can be made, and captured. */
export function judgeStorage({
  classes,
  snapshotClasses,
  configs,
  claims,
}: StorageFacts): readonly Finding[] {
  const defaults = classes.filter(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === "true");
  const [usual] = defaults;
  const ofDefault =
    usual && defaults.length === 1
      ? well(`the default storage class is ${usual.metadata.name}`)
      : warning(
          defaults.length === 0
            ? "there is no default storage class"
            : `${defaults.length} storage classes are the default`,
          "A claim that names no class waits for ever, or gets one that nobody expects.",
          "Mark exactly one class as the default.",
        );
  const drivers = new Set(snapshotClasses?.map(({ driver }) => driver));
  const without = classes
    .filter(({ provisioner }) => !drivers.has(provisioner))
    .map(({ metadata }) => metadata.name);
  if (without.length === 0) return [ofDefault, well("every storage class has a snapshot class")];
  const why = snapshotClasses
    ? `No VolumeSnapshotClass has the driver of ${without.join(", ")}.`
    : "The cluster has no VolumeSnapshots.";
  const fix =
    "Install the snapshot controller and a VolumeSnapshotClass, or set copyMethod to Clone or Direct.";
  const stuck = capturedIn(new Set(without), configs, claims);
  if (stuck.length === 0)
    return [ofDefault, warning("volumes of some classes cannot be captured by snapshot", why, fix)];
  const recipes =
    stuck.slice(0, MOST).join(", ") + (stuck.length > MOST ? ` and ${stuck.length - MOST} more` : "");
  const needs = `${why} These BackupConfigs ask for snapshots of such volumes: ${recipes}.`;
  return [ofDefault, broken("volumes of BackupConfigs cannot be captured by snapshot", needs, fix)];
}

/** So many of a list are named. */
const MOST = 5;

/** The recipes that capture claims of these classes by snapshot. */
function capturedIn(
  classes: ReadonlySet<string>,
  configs: readonly BackupConfig[],
  claims: readonly Claim[],
): readonly string[] {
  const ofClasses = claims.filter(({ spec }) => classes.has(spec?.storageClassName ?? ""));
  const keys = new Set<string>(ofClasses.map(({ metadata }) => keyOf(metadata)));
  return configs
    .filter(({ spec, status }) => {
      const { sources = [] } = status?.resolved?.identity ?? {};
      return spec.copyMethod === "Snapshot" && sources.some(({ pvc }) => keys.has(pvc));
    })
    .map(({ metadata }) => keyOf(metadata));
}

/** An object of any API, and what is known of its kind. */
export interface KnownObject {
  readonly object: ShownObject;
  readonly kind: Pick<KindView, "runsOnce" | "sameOf" | "planOf">;
}

export interface ObjectFacts {
  readonly objects: readonly KnownObject[];
  /** The same that `status` shows. */
  readonly problems: readonly ProblemView[];
  readonly lost: readonly LostView[];
  readonly now: number;
}

/** What `status` says is wrong, and besides that what nothing moves any more. */
export function judgeObjects({ objects, problems, lost, now }: ObjectFacts): readonly Finding[] {
  const told = new Set(problems.map(({ object }) => `${object.kind} ${keyOf(object)}`));
  const others = objects.filter(({ object }) => !told.has(nameOf(object)));
  const found = [
    ...lost.map(({ claim, restore }) =>
      broken(`PVC ${claim} is gone`, "A BackupConfig names it, and there is a good backup.", restore),
    ),
    ...problems.map(({ object, why, remedy }) =>
      broken(
        `${object.kind} ${keyOf(object)} needs a look`,
        why,
        remedy ?? `holdfast explain ${namedText({ kind: object.kind, metadata: object })} tells more.`,
      ),
    ),
  ];
  const stuck = judgeStuck(others, now);
  return found.length === 0 ? stuck : [...found, ...stuck.filter(({ level }) => level !== "ok")];
}

/** Objects that nothing moves any more. A run that failed is over, and counts until a later one of its plan succeeds. */
export function judgeStuck(all: readonly KnownObject[], now: number): readonly Finding[] {
  const found = all.flatMap((one) => (isOver(one) ? failed(one, all) : stuck(one.object, now)));
  return found.length > 0 ? found : [well(`none of ${countText(all.length, "object")} is stuck`)];
}

/** It ran once, and does not run again by itself. */
function isOver({ kind, object: { metadata, status } }: KnownObject): boolean {
  return kind.runsOnce === true && status?.phase === "Failed" && !metadata.deletionTimestamp;
}

function failed(one: KnownObject, all: readonly KnownObject[]): readonly Finding[] {
  const { object } = one;
  if (conditionOf(object, "Ready")?.reason === REASONS.cancelled || isMadeUpFor(one, all)) return [];
  return [
    warning(`${nameOf(object)} has failed`, complaintOf(object) ?? "It gives no reason.", explainOf(object)),
  ];
}

function isMadeUpFor(one: KnownObject, all: readonly KnownObject[]): boolean {
  const same = sameKey(one);
  return (
    same !== undefined &&
    all.some(
      (other) =>
        other.kind === one.kind && sameKey(other) === same && succeededSince(one.object, other.object),
    )
  );
}

function sameKey({ kind, object }: KnownObject): string | undefined {
  const plan = kind.planOf?.(object);
  return kind.sameOf?.(object) ?? (plan && keyOf(plan));
}

function nameOf({ kind, metadata }: ShownObject): string {
  return `${kind} ${keyOf(metadata)}`;
}

function explainOf(object: ShownObject): string {
  return `holdfast explain ${namedText(object)} tells more.`;
}

function stuck(object: ShownObject, now: number): readonly Finding[] {
  const { metadata, status } = object;
  const [name, explain] = [nameOf(object), explainOf(object)];
  const deleting = metadata.deletionTimestamp ? now - Date.parse(metadata.deletionTimestamp) : 0;
  if (deleting > LONG) {
    const why = `It is being deleted for ${durationText(deleting)}, and held by ${metadata.finalizers?.join(", ") ?? "nothing"}.`;
    return [
      broken(`${name} does not go`, complaintOf(object) ? `${why} ${complaintOf(object)}` : why, explain),
    ];
  }
  const stalled = conditionOf(object, "Stalled");
  if (stalled?.status === "True") return [broken(`${name} is stalled`, stalled.message, explain)];
  const age = now - Date.parse(metadata.creationTimestamp);
  if (!status?.phase && age > LONG) {
    const why = `Nobody has looked at it since it was made, ${durationText(age)} ago.`;
    return [
      broken(`${name} has no status`, why, "Look whether the operator runs, and watches this namespace."),
    ];
  }
  const reconciling = conditionOf(object, "Reconciling");
  const waits = reconciling?.status === "True" ? now - Date.parse(reconciling.lastTransitionTime) : 0;
  if (waits <= LONG) return [];
  if (status?.phase !== "Running" && status?.phase !== "Restoring")
    return [warning(`${name} waits for ${durationText(waits)}`, reconciling?.message ?? "", explain)];
  const why = heldUp(object);
  return why === undefined ? [] : [warning(`${name} is held up`, why, explain)];
}
