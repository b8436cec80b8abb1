import { groupOf, type KubeObject } from "../../kube/object.ts";
import { annotationOf } from "../reconcile/annotations.ts";

/** Written at admission, under the group of the object: the references that its author was allowed to make. */
const CONSENTS = "consented-references";

type Consented = Pick<KubeObject, "apiVersion" | "kind" | "metadata">;

interface Reference {
  readonly kind: string;
  readonly namespace: string;
  readonly name?: string;
}

/** How a reference is written down where its author's right to make it was checked. */
export function crossingToken({ kind, namespace, name = "*" }: Reference): string {
  return `${kind}/${namespace}/${name}`;
}

/**
 * The references whose author was allowed to make them, as admission wrote them down. Where no webhook overwrites what
 * people put there, it says nothing; so what is being deleted has none, since edits of it pass every webhook.
 */
export function consentsOf(object: Consented | undefined): ReadonlySet<string> {
  const text = !object || object.metadata.deletionTimestamp ? "" : (annotationOf(object, CONSENTS) ?? "");
  return new Set(text.split(",").filter((token) => token !== ""));
}

export function isConsented(object: Consented, reference: Reference): boolean {
  return consentsOf(object).has(crossingToken(reference));
}

/** The object with exactly these consents written down; the same object where nothing changes. */
export function withConsents<T extends Consented>(object: T, tokens: readonly string[]): T {
  const annotation = `${groupOf(object)}/${CONSENTS}`;
  const { [annotation]: before, ...others } = object.metadata.annotations ?? {};
  const text = tokens.toSorted().join(",");
  if ((before ?? "") === text) return object;
  const annotations = text === "" ? others : { ...others, [annotation]: text };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
