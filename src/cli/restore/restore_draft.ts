import { byteQuantity } from "../../core/policy/byte_quantity.ts";
import { leadsUpwards, relativePath } from "../../core/restore/restored_path.ts";
import type { Restore, RestoreSpec } from "../../kinds/kopiur/generated/restore.ts";
import type { Draft } from "../../kube/object.ts";
import type { Given } from "../frame/given.ts";
import { referenceOf } from "../frame/kinds.ts";
import { momentIn } from "../frame/moment.ts";
import { misuse } from "../frame/problem.ts";
import { identityIn } from "./identity_in.ts";

/** What the server fills in with its defaults where nobody says. */
type Loose<T> = T extends object ? { readonly [K in keyof T]?: Loose<T[K]> } : T;

export interface DraftFacts {
  readonly namespace: string;
  readonly name: string;
  /** What the claim that the data is of is like, or was when it was backed up; as far as that is known. */
  readonly like?: ClaimLike | undefined;
  readonly now: number;
}

/** What a new claim takes over from the one that its data is of. */
export interface ClaimLike {
  readonly capacity?: string | undefined;
  readonly storageClassName?: string | undefined;
  readonly accessModes?: readonly string[] | undefined;
}

/** The Restore that a command line asks for. Throws a CommandProblem where it does not say enough. */
export function restoreDraft(given: Given, { namespace, name, like, now }: DraftFacts): Draft<Restore> {
  const source = sourceOf(given, now);
  const target = targetOf(given, like);
  const repository = repositoryOf(given);
  const spec: Loose<RestoreSpec> = {
    ...(repository ? { repository } : {}),
    source: source as Loose<RestoreSpec["source"]>,
    ...(target ? { target: target as Loose<NonNullable<RestoreSpec["target"]>> } : {}),
    options: {
      ...pathOption(given, "path", "path"),
      ...pathOption(given, "to-path", "targetPath"),
      ...textOption(given, "existing", "existingFiles"),
      ...textOption(given, "ownership", "ownership"),
      ...(given.flag("delete-extra") ? { enableFileDeletion: true } : {}),
    },
    // Whoever asks for data by hand is not helped by an empty volume.
    ...(target ? { policy: { onMissingSnapshot: "Fail" } } : {}),
    ...(given.flag("privileged") ? { mover: { privilegedMode: true } } : {}),
  };
  return { metadata: { namespace, name }, spec } as unknown as Draft<Restore>;
}

function sourceOf(given: Given, now: number): object {
  const text = given.word(0);
  const moment = given.text("as-of");
  const asOf = moment === undefined ? {} : { asOf: momentIn("as-of", moment, now) };
  const point = { ...asOf, ...offsetOf(given) };
  const identity = identityIn(text);
  if (identity) {
    if (given.text("repository") === undefined)
      throw misuse("an identity does not say in which repository it is", "Name it with --repository.");
    const snapshot = textOption(given, "snapshot", "snapshotID");
    return { identity: { ...identity, ...snapshot, ...point } };
  }
  const { resource, name } = referenceOf(text, { kinds: ["backup", "config"], usual: "backup" });
  const ref = {
    name,
    ...textOption(given, "from-namespace", "namespace"),
    ...volumeOf(given),
  };
  return resource.kind === "BackupConfig" ? { fromConfig: { ...ref, ...point } } : { backupRef: ref };
}

/** The volume of several, by its claim or by the path under which it is recorded. */
function volumeOf(given: Given): Readonly<Record<string, string>> {
  return textOption(given, "pvc", given.text("pvc")?.startsWith("/") ? "sourcePath" : "pvc");
}

function targetOf(given: Given, like: ClaimLike = {}): object | undefined {
  const [to, into] = [given.text("to"), given.text("into")];
  const ways = [to !== undefined, into !== undefined, given.flag("for-claims")].filter(Boolean).length;
  if (ways !== 1)
    throw misuse(
      "where the data goes must be said, in one way",
      "Give --to <claim> for a new claim, --into <claim> for one that is there, or --for-claims for claims that name the Restore.",
    );
  if (into !== undefined)
    return {
      pvcRef: {
        name: into,
        ...(given.flag("scale-down") ? { scaleDownWorkloads: true } : {}),
        ...(given.flag("no-backup-first") ? { backupFirst: false } : {}),
      },
    };
  if (to === undefined) return undefined;
  const capacity = given.text("capacity") ?? like.capacity;
  if (capacity === undefined)
    throw misuse("nobody knows how large the new claim must be", "Say it with --capacity, such as 10Gi.");
  if (byteQuantity(capacity) === undefined)
    throw misuse(`--capacity is ${JSON.stringify(capacity)}, which is no size`, "Write it as 10Gi or 500Mi.");
  const mode = given.text("access-mode");
  const { storageClassName } = like;
  return {
    pvc: {
      name: to,
      capacity,
      accessModes: mode === undefined ? (like.accessModes ?? ["ReadWriteOnce"]) : [mode],
      ...(storageClassName === undefined ? {} : { storageClassName }),
      ...textOption(given, "storage-class", "storageClassName"),
    },
  };
}

/** The repository of an identity. It is where `--from-namespace` says. */
function repositoryOf(given: Given): object | undefined {
  const text = given.text("repository");
  if (text === undefined) return undefined;
  const { resource, name } = referenceOf(text, {
    kinds: ["repository", "clusterrepository"],
    usual: "repository",
  });
  const namespace = textOption(given, "from-namespace", "namespace");
  if (!resource.namespaced && "namespace" in namespace)
    throw misuse("--from-namespace has no effect with a ClusterRepository", "It is in none: leave it out.");
  return { kind: resource.kind, name, ...namespace };
}

function offsetOf(given: Given): { readonly offset?: number } {
  const text = given.text("offset");
  if (text === undefined) return {};
  if (!/^\d{1,6}$/.test(text))
    throw misuse(`--offset is ${JSON.stringify(text)}`, "It is a number: 0 is the newest.");
  return { offset: Number(text) };
}

/** A path from the root of the snapshot or the volume, with or without a slash before it, as `ls` and `cat` take it. */
function pathOption(given: Given, option: string, field: string): Readonly<Record<string, string>> {
  const path = given.text(option);
  if (path === undefined) return {};
  if (leadsUpwards(path))
    throw misuse(
      `--${option} is ${JSON.stringify(path)}, and .. could lead out of the volume`,
      "Write it from the root of the volume, such as letters/anna.txt.",
    );
  return { [field]: relativePath(path) || "/" };
}

function textOption(given: Given, option: string, field: string): Readonly<Record<string, string>> {
  const value = given.text(option);
  return value === undefined ? {} : { [field]: value };
}
