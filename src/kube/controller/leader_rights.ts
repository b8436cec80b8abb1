import { Leases } from "../builtin.ts";
import type { Right } from "../rights.ts";

/** What a candidate for the Lease of this name asks for. */
export function leaderRights(lease: string): readonly Right[] {
  const why = "one replica leads";
  return [
    // The name of what is created is not known to the rules.
    { resource: Leases, home: true, verbs: ["create"], why },
    { resource: Leases, home: true, names: [lease], verbs: ["get", "update"], why },
  ];
}
