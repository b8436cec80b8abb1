import type { KubeObject } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { HIDDEN, type Hidden } from "./observed_staging.ts";
import type { DeletionPolicy } from "./snapshot_kinds.ts";
import { type RefusedStaging, refused } from "./staging_decision.ts";

/** A class of snapshots, of single volumes or of groups. */
export interface SomeSnapshotClass extends KubeObject {
  readonly driver: string;
  readonly deletionPolicy: DeletionPolicy;
}

export interface ClassQuestion {
  readonly kind: "VolumeSnapshotClass" | "VolumeGroupSnapshotClass";
  readonly classes: readonly SomeSnapshotClass[] | Hidden;
  /** Undefined where the volume is hidden. */
  readonly driver: string | undefined;
  readonly wanted: string | undefined;
}

/** The class to name. Undefined fields: it is left to the cluster, as it cannot be seen from here. */
export interface ChosenClass {
  readonly name: string | undefined;
  readonly deletionPolicy: DeletionPolicy | undefined;
}

const DEFAULT = {
  VolumeSnapshotClass: "snapshot.storage.kubernetes.io/is-default-class",
  VolumeGroupSnapshotClass: "groupsnapshot.storage.kubernetes.io/is-default-class",
} as const;

export function chosenClass(question: ClassQuestion): Result<ChosenClass, RefusedStaging> {
  const { classes, wanted } = question;
  if (classes === HIDDEN) return ok({ name: wanted, deletionPolicy: undefined });
  return wanted === undefined ? byDriver(question, classes) : byName(question, classes, wanted);
}

function byName(
  { kind, driver }: ClassQuestion,
  classes: readonly SomeSnapshotClass[],
  wanted: string,
): Result<ChosenClass, RefusedStaging> {
  const found = classes.find(({ metadata }) => metadata.name === wanted);
  if (!found)
    return no(
      `${reasonOf(kind)}NotFound`,
      `${kind} ${wanted} does not exist. Create it, or name another one.`,
    );
  if (driver === undefined || found.driver === driver) return chosen(found);
  return no(
    `${reasonOf(kind)}Mismatch`,
    `${kind} ${wanted} is for the driver ${found.driver}, and the volume is of the driver ${driver}. Name a class of that driver.`,
  );
}

function byDriver(
  { kind, driver }: ClassQuestion,
  classes: readonly SomeSnapshotClass[],
): Result<ChosenClass, RefusedStaging> {
  if (driver === undefined) return ok({ name: undefined, deletionPolicy: undefined });
  const suitable = classes.filter((one) => one.driver === driver);
  const defaults = suitable.filter(({ metadata }) => metadata.annotations?.[DEFAULT[kind]] === "true");
  const [only] = suitable.length === 1 ? suitable : defaults.length === 1 ? defaults : [];
  if (only) return chosen(only);
  if (suitable.length === 0) {
    return no(
      `${reasonOf(kind)}Missing`,
      `There is no ${kind} for the driver ${driver}. Create one if the driver can take such snapshots.`,
    );
  }
  const names = suitable.map(({ metadata }) => metadata.name).toSorted();
  const why = defaults.length === 0 ? "none is the default" : "more than one is the default";
  return no(
    `${reasonOf(kind)}Ambiguous`,
    `The driver ${driver} has several of ${kind} (${names.join(", ")}), and ${why}. Name the one to use, or annotate exactly one with ${DEFAULT[kind]}=true.`,
  );
}

function chosen({ metadata, deletionPolicy }: SomeSnapshotClass): Result<ChosenClass, RefusedStaging> {
  return ok({ name: metadata.name, deletionPolicy });
}

function no(reason: string, message: string): Result<ChosenClass, RefusedStaging> {
  return err(refused("structural", reason, message));
}

function reasonOf(kind: ClassQuestion["kind"]): string {
  return kind === "VolumeSnapshotClass" ? "SnapshotClass" : "GroupSnapshotClass";
}
