import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";

// What a Velero server serves besides the data path. Their CRDs are its own: only what is looked at is described.

/** An object of Velero, as far as it is looked at. */
export interface VeleroObject extends KubeObject {
  readonly spec?: object;
  readonly status?: {
    readonly phase?: string;
    readonly failureReason?: string;
    readonly validationErrors?: readonly string[];
    readonly errors?: number;
    readonly startTimestamp?: string;
    readonly progress?: { readonly totalItems?: number; readonly itemsBackedUp?: number };
  };
}

/** What has Velero delete a Backup. */
export interface VeleroDeletion extends KubeObject {
  readonly spec?: object;
  readonly status?: { readonly phase?: string; readonly errors?: readonly string[] };
}

function kind<T extends KubeObject = VeleroObject>(name: string, plural: string): Resource<T> {
  return { group: "velero.io", version: "v1", kind: name, plural, namespaced: true };
}

export const VELERO_BACKUPS = kind("Backup", "backups");
export const VELERO_RESTORES = kind("Restore", "restores");
export const VELERO_DELETIONS = kind<VeleroDeletion>("DeleteBackupRequest", "deletebackuprequests");
