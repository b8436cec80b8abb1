/**
 * Who lets a recipe be run from another namespace, or on the claims of one: whoever wrote the reference, for good; or the
 * recipe or the namespace of the claims, as long as it lists the other namespace.
 */
export type Consent = "author" | "recipe" | "namespace" | "nobody" | "unknown";

export function isGiven(consent: Consent): boolean {
  return consent !== "nobody" && consent !== "unknown";
}
