import { CONSENT_ANNOTATION } from "../../../kinds/kopiur/annotations.ts";
import { type Crossing, crossingToken } from "./crossing.ts";

interface Annotated {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
}

/**
 * The references whose author was allowed to make them, as admission wrote them down. Where no webhook overwrites what
 * people put there, it says nothing; so what is being deleted has none, since edits of it pass every webhook.
 */
export function consentsOf(object: Annotated | undefined): ReadonlySet<string> {
  const { annotations, deletionTimestamp } = object?.metadata ?? {};
  const text = deletionTimestamp === undefined ? (annotations?.[CONSENT_ANNOTATION] ?? "") : "";
  return new Set(text.split(",").filter((token) => token !== ""));
}

export function isConsented(
  object: Annotated,
  crossing: Pick<Crossing, "kind" | "namespace" | "name">,
): boolean {
  return consentsOf(object).has(crossingToken(crossing));
}

/** The object with exactly these consents written down; the same object where nothing changes. */
export function withConsents<T extends Annotated>(object: T, tokens: readonly string[]): T {
  const { [CONSENT_ANNOTATION]: before, ...others } = object.metadata.annotations ?? {};
  const text = tokens.toSorted().join(",");
  if ((before ?? "") === text) return object;
  const annotations = text === "" ? others : { ...others, [CONSENT_ANNOTATION]: text };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
