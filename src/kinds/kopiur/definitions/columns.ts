import type { PrinterColumn } from "../../../kube/schema/kind.ts";

export const PHASE: PrinterColumn = { name: "Phase", type: "string", jsonPath: ".status.phase" };

export const AGE: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** Why the object is as it is, for `-o wide`. */
export const REASON: PrinterColumn = {
  name: "Reason",
  type: "string",
  jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
  priority: 1,
};

/** What every kind of the group has. */
export const KIND_NAMES = { categories: ["kopiur"] } as const;
