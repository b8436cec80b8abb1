import type { KubeObject } from "../../kube/object.ts";
import { didYouMean } from "../../lib/did_you_mean.ts";

/** The labels and annotations that an API knows. */
export interface KnownMarks {
  /** What they begin with, with the slash. */
  readonly prefix: string;
  readonly names: readonly string[];
  /** Those that do something with the value `true` alone. */
  readonly switches: readonly string[];
}

/** What is to be said of labels and annotations with our prefix that do nothing. */
export function misspelt({ metadata }: KubeObject, known: KnownMarks): readonly string[] {
  const { prefix, names, switches } = known;
  const marks = Object.entries({ ...metadata.labels, ...metadata.annotations });
  return marks
    .filter(([name]) => name.startsWith(prefix))
    .flatMap(([name, value]) => {
      if (!names.includes(name)) {
        const meant = didYouMean(name, names);
        return [`${name} is not known, and does nothing${meant ? `: did you mean ${meant}?` : ""}`];
      }
      if (!switches.includes(name) || value === "true") return [];
      return [`${name}: ${JSON.stringify(value.slice(0, 32))} does nothing: only "true" counts`];
    });
}
