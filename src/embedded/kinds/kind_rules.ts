import type { KindInfo } from "./kind_info.ts";

/** What a built-in kind has beyond its schema. */
export type KindRules = Partial<Pick<KindInfo, "defaults" | "onCreate" | "check" | "selectableFields">>;
