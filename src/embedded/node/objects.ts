import type { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from "../../kube/builtin.ts";
import type { Resource } from "../../kube/resource.ts";

type ObjectOf<R> = R extends Resource<infer T> ? T : never;

export type Claim = ObjectOf<typeof PersistentVolumeClaims>;
export type Volume = ObjectOf<typeof PersistentVolumes>;
export type StorageClass = ObjectOf<typeof StorageClasses>;
