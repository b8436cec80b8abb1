import type { Right } from "../rights.ts";
import type { Held } from "./release_all.ts";

/** What taking a finalizer off every object asks for. */
export function releaseRights({ resource }: Held): Right {
  // No role can say that only the finalizers may be changed.
  const why = "what nobody is left to let go of could not be deleted";
  return { resource, verbs: ["get", "list", "patch"], why };
}
