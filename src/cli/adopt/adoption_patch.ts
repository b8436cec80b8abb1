import { GENERATED } from "../../kinds/plumber/words.ts";
import { DEPLOYER_MARKS } from "../../kube/deployed_by.ts";
import type { KubeObject } from "../../kube/object.ts";
import { isRecord } from "../../lib/json.ts";

type Texts = Readonly<Record<string, string | null>>;

interface Before {
  readonly labels: Texts;
  readonly annotations: Texts;
  readonly spec: unknown;
}

/** Makes an object the operator's own, with a note of what it was. */
export function adoptingPatch(object: KubeObject, pvc: string): object {
  const { labels = {}, annotations = {}, resourceVersion } = object.metadata;
  const set = {
    labels: { ...removed(DEPLOYER_MARKS.labels, labels), [GENERATED.managedBy]: GENERATED.manager },
    annotations: { ...removed(DEPLOYER_MARKS.annotations, annotations), [GENERATED.sourcePvc]: pvc },
  };
  const before: Before = {
    labels: former(set.labels, labels),
    annotations: former(set.annotations, annotations),
    spec: (object as { readonly spec?: unknown }).spec ?? {},
  };
  return {
    metadata: {
      resourceVersion,
      labels: set.labels,
      annotations: { ...set.annotations, [GENERATED.adoptedFrom]: JSON.stringify(before) },
    },
  };
}

/** Gives an object back as it was; undefined where it was not adopted. */
export function undoingPatch(object: KubeObject): object | undefined {
  const before = parsed(object.metadata.annotations?.[GENERATED.adoptedFrom]);
  if (!before) return undefined;
  const { spec = {} } = object as { readonly spec?: Readonly<Record<string, unknown>> };
  return {
    metadata: {
      resourceVersion: object.metadata.resourceVersion,
      labels: before.labels,
      annotations: { ...before.annotations, [GENERATED.adoptedFrom]: null },
    },
    spec: replaced(spec, before.spec),
  };
}

/** A merge patch that turns one value into the other: null for what was not there. */
function replaced(now: unknown, before: unknown): unknown {
  if (!isRecord(now) || !isRecord(before)) return before;
  const names = new Set([...Object.keys(now), ...Object.keys(before)]);
  return Object.fromEntries(
    Array.from(names, (name) => [name, name in before ? replaced(now[name], before[name]) : null]),
  );
}

const removed = (names: readonly string[], from: Texts): Texts =>
  Object.fromEntries(names.filter((name) => name in from).map((name) => [name, null]));

const former = (changed: Texts, were: Texts): Texts =>
  Object.fromEntries(Object.keys(changed).map((name) => [name, were[name] ?? null]));

function parsed(text: string | undefined): Before | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isRecord(value) && isRecord(value.labels) && isRecord(value.annotations)
      ? (value as unknown as Before)
      : undefined;
  } catch {
    return undefined;
  }
}
