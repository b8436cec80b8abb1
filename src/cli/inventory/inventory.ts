import { namesClaim } from "../../core/workloads/scaling/names_claim.ts";
import { ANNOTATIONS, GENERATED, LABELS } from "../../kinds/plumber/words.ts";
import { deployedBy } from "../../kube/deployed_by.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { ADOPTED, type Naming, objectName } from "../adopt/adoption_plan.ts";

/** What is known of one PVC before labels protect it, and after. */
export interface InventoryRow {
  readonly namespace: string;
  readonly pvc: string;
  /** The application, by its labels. */
  readonly app: string;
  /** The workloads whose pods use it, such as Deployment/web. */
  readonly workloads: readonly string[];
  /** What its objects are called, whether or not they are there. */
  readonly source: string;
  readonly restore: string;
  /** Who looks after the objects that are there. */
  readonly owner: "pvc-plumber" | "argocd" | "flux" | "helm" | "orphan" | "exempt" | "none";
  /** The Secret or the repository that these objects name. */
  readonly repository: string;
  readonly backup_identity: string;
  readonly size: string;
  /** `default`: as the operator is set. */
  readonly uid: string;
  readonly gid: string;
  /** The tier, or the label of earlier operators. */
  readonly tier: string;
  readonly label_source: "pvc-plumber" | "legacy" | "none";
  readonly mode: string;
  readonly restore_mode: string;
}

export interface InventoryGround {
  readonly claims: readonly KubeObject[];
  /** Of every kind in ADOPTED. */
  readonly objects: ReadonlyMap<Resource, readonly KubeObject[]>;
  readonly workloads: readonly KubeObject[];
  readonly naming: Naming;
}

/** Every PVC with what has to be known of it before it is handed over, in the order of their names. */
export function inventory({ claims, objects, workloads, naming }: InventoryGround): readonly InventoryRow[] {
  const inNamespace = Map.groupBy(workloads, ({ metadata }) => metadata.namespace);
  const present = new Map(
    ADOPTED.flatMap(({ resource }) =>
      (objects.get(resource) ?? []).map((object) => [keyIn(resource, object.metadata), object] as const),
    ),
  );
  const rows = claims.map((claim) => {
    const { namespace, name } = claim.metadata;
    const own = ADOPTED.flatMap(({ resource, restores }) => {
      const wanted = { namespace, name: objectName(name, restores, naming) };
      return present.get(keyIn(resource, wanted)) ?? [];
    });
    const users = (inNamespace.get(namespace) ?? []).filter((workload) => namesClaim(workload, name));
    return rowOf(claim, { own, users, naming });
  });
  return rows.toSorted((a, b) => compare(a.namespace, b.namespace) || compare(a.pvc, b.pvc));
}

function rowOf(
  claim: KubeObject,
  {
    own,
    users,
    naming,
  }: {
    readonly own: readonly KubeObject[];
    readonly users: readonly KubeObject[];
    readonly naming: Naming;
  },
): InventoryRow {
  const { namespace = "", name, labels = {}, annotations = {} } = claim.metadata;
  const legacy = labels[LABELS.legacy];
  const asks = labels[LABELS.enabled] !== undefined;
  const mode = annotations[ANNOTATIONS.mode] ?? "default";
  return {
    namespace,
    pvc: name,
    app: APP_LABELS.map((label) => labels[label]).find((value) => value !== undefined) ?? "",
    workloads: users.map(({ kind, metadata }) => `${kind}/${metadata.name}`).toSorted(),
    source: objectName(name, false, naming),
    restore: objectName(name, true, naming),
    owner: ownerOf(own) ?? (labels[LABELS.exempt] === "true" ? "exempt" : "none"),
    repository: [...new Set(own.flatMap((object) => repositoryOf(object) ?? []))].join(", "),
    backup_identity: annotations[ANNOTATIONS.backupIdentity] ?? `${namespace}/${name}`,
    size: (claim as Claimed).spec?.resources?.requests?.storage ?? "",
    uid: annotations[ANNOTATIONS.uid] ?? "default",
    gid: annotations[ANNOTATIONS.gid] ?? "default",
    tier: labels[LABELS.tier] ?? legacy ?? "",
    label_source: asks ? "pvc-plumber" : legacy === undefined ? "none" : "legacy",
    mode,
    restore_mode: annotations[ANNOTATIONS.restoreMode] ?? mode,
  };
}

const APP_LABELS = [
  "app.kubernetes.io/instance",
  "argocd.argoproj.io/instance",
  "app.kubernetes.io/name",
  "app",
];

/** Somebody else's object counts before the operator's own: it is what a handover has to look at. */
function ownerOf(own: readonly KubeObject[]): InventoryRow["owner"] | undefined {
  const isOurs = ({ metadata }: KubeObject) => metadata.labels?.[GENERATED.managedBy] === GENERATED.manager;
  const foreign = own.find((object) => !isOurs(object));
  if (foreign) return deployedBy(foreign.metadata) ?? "orphan";
  return own.length > 0 ? "pvc-plumber" : undefined;
}

type Claimed = KubeObject & {
  readonly spec?: { readonly resources?: { readonly requests?: { readonly storage?: string } } };
};

type Stored = KubeObject & {
  readonly spec?: {
    readonly kopia?: { readonly repository?: string };
    readonly restic?: { readonly repository?: string };
    readonly repository?: { readonly kind?: string; readonly name?: string };
  };
};

function repositoryOf(object: KubeObject): string | undefined {
  const { kopia, restic, repository } = (object as Stored).spec ?? {};
  const secret = (kopia ?? restic)?.repository;
  if (secret !== undefined) return `Secret ${secret}`;
  return repository?.name === undefined ? undefined : `${repository.kind ?? "Repository"} ${repository.name}`;
}

const keyIn = (
  { plural }: Resource,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
) => `${plural} ${namespace}/${name}`;

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
