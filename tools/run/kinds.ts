import type { Kind } from "../../src/kube/schema/kind.ts";
import { sampleKind } from "../../src/kube/schema/sample_kind.ts";

/** A kind, and the folders that its generated files go to, from the project's root. */
export interface KindEntry {
  readonly kind: Kind;
  /** CRD, types and schema data go to `generated/` in here. */
  readonly folder: string;
  /** The reference page goes in here; none is written without it. */
  readonly reference?: string;
}

/** Every kind whose files are generated. */
export const kinds: readonly KindEntry[] = [{ kind: sampleKind, folder: "test/unit/schema_sample" }];
