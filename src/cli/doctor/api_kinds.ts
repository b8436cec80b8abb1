import type { WantedKind } from "../../kube/adoption/crd_shortfalls.ts";

/** The kinds of one API, and how Holdfast's own CRDs of them are marked. */
export interface ApiKinds {
  readonly api: string;
  readonly kinds: readonly WantedKind[];
  readonly labels: Readonly<Record<string, string>>;
  /** Their CRDs are usually those of another product, which Holdfast works with as they are. */
  readonly shared?: true;
}

type Loaded = readonly [
  { readonly KINDS: readonly WantedKind[] },
  { readonly CRD_LABELS: ApiKinds["labels"] },
];

/** Of every API with kinds of its own. Their schemas are large, and loaded only when somebody asks. */
export async function apiKinds(): Promise<readonly ApiKinds[]> {
  const [kopiur, autorestore, cozystack, velero] = await Promise.all([
    Promise.all([import("../../kinds/kopiur/kinds.ts"), import("../../kinds/kopiur/labels.ts")]),
    Promise.all([import("../../kinds/autorestore/kinds.ts"), import("../../kinds/autorestore/labels.ts")]),
    Promise.all([import("../../kinds/cozystack/kinds.ts"), import("../../kinds/cozystack/labels.ts")]),
    Promise.all([import("../../kinds/velero/kinds.ts"), import("../../kinds/velero/labels.ts")]),
  ]);
  const of = (api: string, [{ KINDS }, { CRD_LABELS }]: Loaded): ApiKinds => ({
    api,
    kinds: KINDS,
    labels: CRD_LABELS,
  });
  return [
    of("kopiur", kopiur),
    of("autorestore", autorestore),
    of("cozystack", cozystack),
    { ...of("velero", velero), shared: true },
  ];
}
