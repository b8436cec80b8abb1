import type { BackupState } from "../../src/core/backup/backup.ts";
import type { OwnerState } from "../../src/core/reconcile/run_owner.ts";
import type { RestoreState } from "../../src/core/restore/restore.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import type { Crd } from "../../src/kube/schema/crd.ts";
import type { Structural } from "../../src/kube/schema/structural.ts";

/* The only kind of the sample API: a claim is kept in a repository on a volume, and comes back in a new claim. */

export const GROUP = "sample.holdfast.dev";

export interface Keep extends KubeObject {
  readonly spec: {
    /** The claim that is backed up. */
    readonly claim: string;
    /** Where the repository lies, and the Secret with its password. */
    readonly store: { readonly claim: string; readonly secret: string };
    /** Once it is backed up, the data comes back in a claim of this name. */
    readonly restoreAs?: { readonly claim: string; readonly capacity: string };
  };
  readonly status?: KeepStatus;
}

/** What the engine room keeps of the backup and of the restore lies side by side; records and conditions are shared. */
export interface KeepStatus extends OwnerState {
  readonly phase?: "Connecting" | "BackingUp" | "BackedUp" | "Restoring" | "Restored" | "Failed";
  readonly repositoryID?: string;
  readonly backup?: BackupState;
  readonly restore?: RestoreState;
}

const KIND = { group: GROUP, version: "v1", kind: "Keep", plural: "keeps", namespaced: true };
export const keepResource: Resource<Keep> = KIND;

const name = { type: "string", maxLength: 253 };
const object = (properties: object, ...optional: string[]) => {
  const required = Object.keys(properties).filter((field) => !optional.includes(field));
  return { type: "object", required, properties };
};
const restoreAs = object({ claim: name, capacity: name });
const spec = object({ claim: name, store: object({ claim: name, secret: name }), restoreAs }, "restoreAs");
const status = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export const keepSchema = object({ spec, status }, "status") as unknown as Structural;

const SERVED = { name: "v1", served: true, storage: true, subresources: { status: {} } };

export const keepCrd: Crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `keeps.${GROUP}` },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: { kind: "Keep", listKind: "KeepList", plural: "keeps", singular: "keep" },
    versions: [{ ...SERVED, schema: { openAPIV3Schema: keepSchema } }],
  },
};
