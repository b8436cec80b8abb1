import { type Change, lastSeen } from "../../../kube/cache/cache.ts";
import { type DraftMeta, type KubeObject, keyOf, type ObjectKey, parseKey } from "../../../kube/object.ts";
import { apiVersionOf, type Resource } from "../../../kube/resource.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { MAX_NAME, objectName } from "../../../lib/names.ts";
import type { SourceName, StagingOwner } from "./staging_request.ts";

/** Label of what is staged: the UID of its owner. As an annotation, `apiVersion kind namespace/name` of it. */
export const STAGED_FOR = "holdfast.dev/staged-for";
/** Annotation of what is staged: the claim that it is made from. */
export const STAGED_OF = "holdfast.dev/staged-of";
/** Like STAGED_FOR, on the claims that a group snapshot selects, for as long as it has to find them. */
export const CAPTURED_FOR = "holdfast.dev/captured-for";
/**
 * Finalizer of what is staged in a class that retains: it holds the object until what is behind it was told to go
 * along, since afterwards nobody could tell whose it was.
 */
export const HELD = "holdfast.dev/retained-copy";

/** What is made of a source. */
export type StagedRole = "snapshot" | "copy";

/** The same owner and source give the same name, in whatever process. */
export function stagedName(owner: StagingOwner, source: SourceName, role: StagedRole): string {
  return markedName(source.name, role, `${owner.reference.uid}/${keyOf(source)}`);
}

/** An owner has at most one group. */
export function groupName(owner: StagingOwner): string {
  return markedName(owner.reference.name, "group", owner.reference.uid);
}

const MARK_LENGTH = 12;

function markedName(wanted: string, role: string, mark: string): string {
  const tail = `${role}-${fingerprint(mark, MARK_LENGTH)}`;
  const head = wanted
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_NAME - tail.length - 1)
    .replace(/^-+|-+$/g, "");
  return objectName(...(head ? [head] : []), tail);
}

export interface StagedMeta {
  readonly owner: StagingOwner;
  readonly namespace: string;
  readonly name: string;
  /** The claim that it is made from; a group has several. */
  readonly of?: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** It is held until what is behind it was told to go along. */
  readonly held: boolean;
}

/** An owner in another namespace is named by the marks alone: the garbage collector would take it for gone. */
export function stagedMeta({ owner, namespace, name, of, labels, held }: StagedMeta): DraftMeta {
  const inReach = owner.namespace === undefined || owner.namespace === namespace;
  return {
    namespace,
    name,
    labels: {
      ...labels,
      "app.kubernetes.io/managed-by": "holdfast",
      [STAGED_FOR]: ownerUid(owner),
    },
    annotations: { [STAGED_FOR]: ownerText(owner), ...(of === undefined ? {} : { [STAGED_OF]: of }) },
    ...(inReach ? { ownerReferences: [owner.reference] } : {}),
    ...(held ? { finalizers: [HELD] } : {}),
  };
}

/** The value of STAGED_FOR as a label. */
export function ownerUid({ reference }: StagingOwner): string {
  return reference.uid.length <= MAX_NAME ? reference.uid : fingerprint(reference.uid, 32);
}

/** The value of STAGED_FOR as an annotation. */
export function ownerText({ reference, namespace }: StagingOwner): string {
  return `${reference.apiVersion} ${reference.kind} ${keyOf({ namespace, name: reference.name })}`;
}

export function isStagedFor({ metadata }: KubeObject, owner: StagingOwner): boolean {
  return metadata.labels?.[STAGED_FOR] === ownerUid(owner);
}

export function isHeld({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(HELD) ?? false;
}

/** Whom something is staged for, as its marks say. */
export interface MarkedOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid: string;
}

export function markedOwner(
  { metadata }: KubeObject,
  mark: typeof STAGED_FOR | typeof CAPTURED_FOR = STAGED_FOR,
): MarkedOwner | undefined {
  const uid = metadata.labels?.[mark];
  const [apiVersion, kind, key] = (metadata.annotations?.[mark] ?? "").split(" ");
  if (!uid || !apiVersion || !kind || !key) return undefined;
  return { apiVersion, kind, uid, ...parseKey(key as ObjectKey) };
}

/**
 * As markedOwner, but only for what also has the name that staging gave it: whoever saves a copy under another name
 * takes the marks along, and it is theirs from then on.
 */
export function stagedOwner(object: KubeObject, role: StagedRole | "group"): MarkedOwner | undefined {
  const marked = markedOwner(object);
  if (!marked) return undefined;
  const { namespace = "", name, annotations } = object.metadata;
  const owner = { reference: marked };
  const source = { namespace, name: annotations?.[STAGED_OF] ?? "" };
  const given = role === "group" ? groupName(owner) : stagedName(owner, source, role);
  return name === given ? marked : undefined;
}

/** Maps a change of what is staged to the object of this kind that it is for. */
export function toStagedOwner(owner: Resource): (change: Change<KubeObject>) => readonly ObjectKey[] {
  return (change) => {
    const marked = markedOwner(lastSeen(change));
    const ours = marked?.apiVersion === apiVersionOf(owner) && marked.kind === owner.kind;
    return ours ? [keyOf(marked)] : [];
  };
}
