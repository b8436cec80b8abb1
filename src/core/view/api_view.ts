import type { KubeObject, ObjectName } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Stores } from "../volumes/stores.ts";
import type { ProtectFacts, ProtectPlan } from "./protect.ts";
import type { Retry, ShownObject } from "./shown_object.ts";
import type { ViewPart } from "./view.ts";

/** How one API shows its objects. Pure: whoever asks has listed them, from the API server or from caches. */
export interface ApiView {
  /** As in the setting that serves it. */
  readonly api: string;
  readonly kinds: readonly KindView[];
  /** What has to be listed in further namespaces to understand what is in the one that is looked at. */
  readonly elsewhere?: (
    listed: Listed,
  ) => readonly { readonly resource: Resource; readonly namespace: string }[];
  readonly read: (listed: Listed, now: number) => ViewPart;
  /** What the spec of an object names, and what it cannot do without. */
  readonly dependsOn: (object: ShownObject) => readonly Dependency[];
  /** What the operator does after the failure that the object's status shows. */
  readonly nextTry: (object: ShownObject, retry: Retry) => string;
  /** What would un-stick the object, where something particular would. */
  readonly remedies: (object: ShownObject) => readonly string[];
  /** The PVCs of a namespace that its repositories lie on, and what has to be listed there to know. Default: it has none. */
  readonly stores?: {
    readonly resources: readonly Resource[];
    readonly among: (of: Listed["of"], namespace: string) => Stores;
  };
  /** How a volume could come into its care; undefined where it is, or cannot. Default: it cannot. */
  readonly protect?: (facts: ProtectFacts) => ProtectPlan | undefined;
  /** What retention keeps of the backups by a plan of this API; undefined where there is no such plan. Default: none has any. */
  readonly retention?: (listed: Listed, plan: ObjectName, now: number) => RetentionView | undefined;
}

/** What retention keeps, and would delete now: the newest first. */
export interface RetentionView {
  /** Why nothing is deleted at present. */
  readonly paused?: string;
  readonly kept: readonly {
    readonly backup: string;
    readonly at: number;
    /** By the rules' names. */
    readonly because: readonly string[];
  }[];
  readonly deleted: readonly { readonly backup: string; readonly at: number }[];
}

/** What a view is made from. */
export interface Listed {
  /** The objects of one of the view's kinds. */
  readonly of: <T extends KubeObject>(resource: Resource<T>) => readonly T[];
  /** Every PersistentVolumeClaim, those that come and go with runs included. */
  readonly claims: readonly KubeObject[];
  /** The only namespace that was listed. Default: all were. */
  readonly within?: string | undefined;
  /** Further namespaces that may not be looked at. */
  readonly hidden?: ReadonlySet<string> | undefined;
}

/** One kind, as people name and list it. */
export interface KindView<T extends ShownObject = ShownObject> {
  /** What people call it, such as `backup`. Its kind and its plural are understood as well. */
  readonly word: string;
  readonly resource: Resource<T>;
  /** In a list, beside name, phase and age. */
  readonly columns: readonly ColumnView<T>[];
  /** An object of it runs once: one that failed is over, and counts until a later one of the same plan succeeds. */
  readonly runsOnce?: true;
  /** Its objects say nothing of volumes: coverage is counted without them. */
  readonly uncounted?: true;
  /** Alike for objects that do the same, where one of these makes up for a failed one. Default: those of one plan. */
  sameOf?(object: T): string;
  /** The plan that an object works by. */
  planOf?(object: T): ObjectName | undefined;
}

export interface ColumnView<T> {
  readonly title: string;
  /** Worth showing only where there is room. */
  readonly wide?: true;
  value(object: T): ColumnValue;
}

/** Told in the way of whoever shows it; text stays as it is. */
export type ColumnValue =
  | string
  | number
  | { readonly bytes: number | undefined }
  | { readonly at: string | undefined; readonly text?: string }
  | undefined;

export interface Dependency {
  readonly resource: Resource<ShownObject>;
  readonly name: ObjectName;
}
