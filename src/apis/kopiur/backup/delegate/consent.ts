/**
 * Who lets a recipe be run from another namespace: whoever wrote the reference, for good; or the recipe, as long as it
 * lists the namespace.
 */
export type Consent = "author" | "recipe" | "nobody" | "unknown";

export function isGiven(consent: Consent): boolean {
  return consent === "author" || consent === "recipe";
}
