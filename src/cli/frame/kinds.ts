import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { clusterRepositoryResource } from "../../kinds/kopiur/generated/cluster_repository.ts";
import { maintenanceResource } from "../../kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import { misuse } from "./problem.ts";

/** A native object of any kind, as far as commands read them all alike. */
export interface NativeObject extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
    readonly logTail?: string;
    readonly failure?: {
      readonly errorClass: string;
      readonly message: string;
      readonly remedy?: string;
      readonly retry: "transient" | "structural" | "terminal";
      readonly attempt?: number;
      readonly at?: string;
    };
    readonly job?: { readonly name?: string; readonly namespace?: string };
  };
}

/** What a person may call each kind, the usual word first. */
const NAMES: Readonly<Record<string, Resource<NativeObject>>> = {
  backup: backupResource,
  restore: restoreResource,
  config: backupConfigResource,
  schedule: backupScheduleResource,
  repository: repositoryResource,
  clusterrepository: clusterRepositoryResource,
  maintenance: maintenanceResource,
};

/** The usual words. */
export const KIND_WORDS = Object.keys(NAMES);

/** An object that was named as `kind/name`. */
export interface Reference {
  readonly resource: Resource<NativeObject>;
  readonly name: string;
}

/** Reads `kind/name`; a name alone is of the kind that is usually meant. Throws a CommandProblem. */
export function referenceOf(
  text: string,
  options: { readonly kinds?: readonly string[]; readonly usual?: string } = {},
): Reference {
  const { kinds = KIND_WORDS, usual } = options;
  const slash = text.indexOf("/");
  const word = slash < 0 ? usual : text.slice(0, slash);
  const name = text.slice(slash + 1);
  const resource = word === undefined ? undefined : kindOf(word, kinds);
  if (!resource || name === "") {
    const fix = `Name it as kind/name, where the kind is ${kinds.join(", ")}.`;
    throw misuse(`${JSON.stringify(text)} names nothing that this works on`, fix);
  }
  return { resource, name };
}

/** The kind that a word means: its usual name, its plural, its full name; also as `-o name` prints it. */
export function kindOf(
  word: string,
  kinds: readonly string[] = KIND_WORDS,
): Resource<NativeObject> | undefined {
  const asked = word.toLowerCase();
  const found = Object.entries(NAMES).find(([usual, { plural, kind, group }]) => {
    const singular = kind.toLowerCase();
    return [usual, `${usual}s`, plural, singular, `${plural}.${group}`, `${singular}.${group}`].includes(
      asked,
    );
  });
  return found && kinds.includes(found[0]) ? found[1] : undefined;
}

export function conditionOf(object: NativeObject, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/** Why the object is not as it should be: in the words of what failed, else of what it waits for. */
export function complaintOf(object: NativeObject): string | undefined {
  const { failure } = object.status ?? {};
  const stalled = conditionOf(object, "Stalled");
  const ready = conditionOf(object, "Ready");
  if (failure) return failure.message;
  if (stalled?.status === "True") return stalled.message;
  return ready?.status === "False" ? ready.message : undefined;
}
