/** What every stored object has. The names are Kubernetes' own. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFields[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: "Apply" | "Update";
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: unknown;
  readonly subresource?: string;
}

/** An object as the API server returns it. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Only the metadata of an object, whatever its kind. */
export type MetadataOnly = KubeObject;

/** What a caller writes of an object's metadata; the server fills in the rest. */
export type DraftMeta = Partial<Omit<ObjectMeta, "managedFields">> &
  ({ readonly name: string } | { readonly generateName: string });

/** An object that is not stored yet: apiVersion and kind may be left to the client. */
export type Draft<T extends KubeObject> = Omit<T, "apiVersion" | "kind" | "metadata"> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: DraftMeta;
};

/** Part of an object, for a merge patch or an apply: every field may be missing, null removes. */
export type Partially<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: Partially<T[K]> | null }
    : T;

declare const objectKey: unique symbol;

/** `namespace/name`, or `name` for what has no namespace: how controllers and caches name an object. */
export type ObjectKey = string & { readonly [objectKey]: true };

export interface ObjectName {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export function keyOf(object: ObjectName | KubeObject): ObjectKey {
  const { namespace, name } = "metadata" in object ? object.metadata : object;
  return (namespace ? `${namespace}/${name}` : name) as ObjectKey;
}

export function parseKey(key: ObjectKey): ObjectName {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The API group of an object, which is empty for Kubernetes' oldest kinds. */
export function groupOf({ apiVersion = "" }: { readonly apiVersion?: string }): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}
