import type { ShownObject } from "../../core/view/shown_object.ts";
import { KIND_WORDS } from "../../kinds/kopiur/words.ts";
import type { Resource } from "../../kube/resource.ts";
import { misuse } from "./problem.ts";

/** A kind, and what people call it. */
export interface NamedKind {
  readonly word: string;
  readonly resource: Resource<ShownObject>;
}

/** Those of the native API. */
export const NATIVE_KINDS: readonly NamedKind[] = Object.entries(KIND_WORDS).map(([word, resource]) => ({
  word,
  resource,
}));

/** An object that was named as `kind/name`. */
export interface Reference {
  readonly resource: Resource<ShownObject>;
  readonly name: string;
}

export interface ReferenceOptions {
  /** Default: those of the native API. */
  readonly among?: readonly NamedKind[];
  /** Only these of them, by their words. Default: all. */
  readonly kinds?: readonly string[];
  /** Of which kind a name alone is. */
  readonly usual?: string;
}

/** Reads `kind/name`; a name alone is of the kind that is usually meant. Throws a CommandProblem. */
export function referenceOf(text: string, options: ReferenceOptions = {}): Reference {
  const { among = NATIVE_KINDS, kinds, usual } = options;
  const fitting = kinds ? among.filter(({ word }) => kinds.includes(word)) : among;
  const slash = text.indexOf("/");
  const word = slash < 0 ? usual : text.slice(0, slash);
  const name = text.slice(slash + 1);
  const resource = word === undefined ? undefined : kindOf(word, fitting)?.resource;
  if (!resource || name === "") {
    const fix = `Name it as kind/name, where the kind is ${fitting.map((kind) => kind.word).join(", ")}.`;
    throw misuse(`${JSON.stringify(text)} names nothing that this works on`, fix);
  }
  return { resource, name };
}

/**
 * The kind that a word means: its usual name, its plural, its full name; also as `-o name` prints it. Where APIs have a
 * name in common, the first one is meant, and the full name means any.
 */
export function kindOf<K extends NamedKind>(text: string, among: readonly K[]): K | undefined {
  const asked = text.toLowerCase();
  return among.find(({ word, resource: { plural, kind, group } }) => {
    const singular = kind.toLowerCase();
    return [word, severalOf(word), plural, singular, `${plural}.${group}`, `${singular}.${group}`].includes(
      asked,
    );
  });
}

/** Several of a kind, in the word that people use. */
export function pluralOf({ word, resource: { kind, plural } }: NamedKind): string {
  return kind.toLowerCase() === word ? plural : severalOf(word);
}

function severalOf(word: string): string {
  return word.endsWith("y") ? `${word.slice(0, -1)}ies` : `${word}s`;
}
