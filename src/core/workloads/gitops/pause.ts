import type { KubeObject } from "../../../kube/object.ts";
import { Applications, type HelmRelease, HelmReleases } from "./gitops_kinds.ts";

/** Annotation of an object that was paused: the UIDs of those that need it so. The last one has it go on. */
export const PAUSED_FOR = "holdfast.dev/paused-for";
/** Annotation of an object that was paused: what stood in the place where it is told to pause, as JSON. */
export const PAUSED_FROM = "holdfast.dev/paused-from";

/** What is changed in an object. */
export interface Change {
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** Where and how a kind of object is told to pause. */
interface Switch {
  read(object: KubeObject): unknown;
  write(value: unknown): Change;
  readonly paused: unknown;
  isPaused(value: unknown): boolean;
}

function annotation(key: string, paused: string, isPaused: (value: unknown) => boolean): Switch {
  return {
    read: ({ metadata }) => metadata.annotations?.[key],
    write: (value) => ({ annotations: { [key]: value as string | null } }),
    paused,
    isPaused,
  };
}

const TRUE: readonly unknown[] = ["1", "t", "T", "TRUE", "true", "True"];

/** Argo CD leaves the whole Application alone, as it documents; what it is given by Git has no say in that. */
const SKIP_RECONCILE = annotation("argocd.argoproj.io/skip-reconcile", "true", (value) =>
  TRUE.includes(value),
);

/** Flux leaves the one object alone that is annotated in the cluster, and applies the others of its Kustomization. */
const RECONCILE_DISABLED = annotation(
  "kustomize.toolkit.fluxcd.io/reconcile",
  "disabled",
  (value) => String(value).toLowerCase() === "disabled",
);

/** Flux reads an object's own annotation only from the chart, so the release is suspended. */
const SUSPEND: Switch = {
  read: (object) => (object as HelmRelease).spec?.suspend,
  write: (suspend) => ({ annotations: {}, spec: { suspend } }),
  paused: true,
  isPaused: (value) => value === true,
};

const KUSTOMIZED = "kustomize.toolkit.fluxcd.io/name";

function switchOf(object: KubeObject): Switch | undefined {
  if (object.kind === Applications.kind) return SKIP_RECONCILE;
  if (object.kind === HelmReleases.kind) return SUSPEND;
  const { labels = {}, annotations = {} } = object.metadata;
  return labels[KUSTOMIZED] !== undefined || annotations[PAUSED_FOR] !== undefined
    ? RECONCILE_DISABLED
    : undefined;
}

/** Those for whom an object is paused. */
export function pausedFor({ metadata }: KubeObject): readonly string[] {
  return (metadata.annotations?.[PAUSED_FOR] ?? "").split(",").filter((uid) => uid !== "");
}

/** What pauses the object for this holder; undefined where there is nothing to do, as for one that a person has paused. */
export function pausing(object: KubeObject, holder: string): Change | undefined {
  const at = switchOf(object);
  if (!at) return undefined;
  const value = at.read(object);
  const holders = pausedFor(object);
  const isPaused = at.isPaused(value);
  if (isPaused && (holders.length === 0 || holders.includes(holder))) return undefined;
  const marks = {
    [PAUSED_FOR]: [...new Set([...holders, holder])].join(","),
    // What somebody has written since is what to go back to.
    ...(isPaused ? {} : { [PAUSED_FROM]: JSON.stringify(value ?? null) }),
  };
  const { annotations, spec } = at.write(at.paused);
  return { annotations: { ...annotations, ...marks }, ...(spec ? { spec } : {}) };
}

/** What the holder's leaving changes: the last one leaves the object as it was, unless a person has let it go on. */
export function resuming(object: KubeObject, holder: string): Change | undefined {
  const at = switchOf(object);
  const holders = pausedFor(object);
  if (!at || !holders.includes(holder)) return undefined;
  const others = holders.filter((uid) => uid !== holder);
  if (others.length > 0) return { annotations: { [PAUSED_FOR]: others.join(",") } };
  const unmarked = { [PAUSED_FOR]: null, [PAUSED_FROM]: null };
  if (!at.isPaused(at.read(object))) return { annotations: unmarked };
  const { annotations, spec } = at.write(earlier(object));
  return { annotations: { ...annotations, ...unmarked }, ...(spec ? { spec } : {}) };
}

/** What stood there before; nothing, where that cannot be told any more. */
function earlier({ metadata }: KubeObject): unknown {
  try {
    return JSON.parse(metadata.annotations?.[PAUSED_FROM] ?? "null");
  } catch {
    return null;
  }
}
