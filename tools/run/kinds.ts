import { autorestoreKinds } from "../../src/kinds/autorestore/definitions/kinds.ts";
import { CRD_LABELS as AUTORESTORE_LABELS } from "../../src/kinds/autorestore/labels.ts";
import { cozystackKinds } from "../../src/kinds/cozystack/definitions/kinds.ts";
import { CRD_LABELS as COZYSTACK_LABELS } from "../../src/kinds/cozystack/labels.ts";
import { kopiurKinds } from "../../src/kinds/kopiur/definitions/kinds.ts";
import { CRD_LABELS as KOPIUR_LABELS } from "../../src/kinds/kopiur/labels.ts";
import { veleroKinds } from "../../src/kinds/velero/definitions/kinds.ts";
import { CRD_LABELS as VELERO_LABELS } from "../../src/kinds/velero/labels.ts";
import type { Kind } from "../../src/kube/schema/kind.ts";
import { sampleKind } from "../../src/kube/schema/sample_kind.ts";

/** A kind, and the folders that its generated files go to, from the project's root. */
export interface KindEntry {
  readonly kind: Kind;
  /** CRD, types and schema data go to `generated/` in here. */
  readonly folder: string;
  /** The reference page goes in here; none is written without it. */
  readonly reference?: string;
  /** The API that it belongs to, where the chart installs it. */
  readonly api?: string;
  /** Labels of the CRD. Default none. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Every kind whose files are generated. */
export const kinds: readonly KindEntry[] = [
  { kind: sampleKind, folder: "test/unit/schema_sample" },
  ...ofApi("kopiur", kopiurKinds, KOPIUR_LABELS),
  ...ofApi("autorestore", autorestoreKinds, AUTORESTORE_LABELS),
  ...ofApi("cozystack", cozystackKinds, COZYSTACK_LABELS),
  ...ofApi("velero", veleroKinds, VELERO_LABELS),
];

function ofApi(
  api: string,
  kinds: readonly Kind[],
  labels: Readonly<Record<string, string>>,
): readonly KindEntry[] {
  return kinds.map((kind) => ({
    kind,
    folder: `src/kinds/${api}`,
    reference: `docs/reference/${api}`,
    labels,
    api,
  }));
}
