import { namesClaim } from "../../core/workloads/scaling/names_claim.ts";
import { ANNOTATIONS, GENERATED, LABELS } from "../../kinds/plumber/words.ts";
import { deployedBy } from "../../kube/deployed_by.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { ADOPTED, identityOf, type Naming, objectName, sourceOf } from "../adopt/adoption_plan.ts";

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
  /** When its objects back it up, as they say it. */
  readonly schedule: string;
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
  const all = ADOPTED.flatMap(({ resource, restores }) =>
    (objects.get(resource) ?? []).map((object) => ({ object, restores })),
  );
  const present = Map.groupBy(all, ({ object }) => object.metadata.namespace);
  const rows = claims.map((claim) => {
    const { namespace, name } = claim.metadata;
    // Of another name, too, where it says what it backs up.
    const own = (present.get(namespace) ?? []).flatMap(({ object, restores }) =>
      (sourceOf(object) ?? name) === name &&
      (sourceOf(object) === name || object.metadata.name === objectName(name, restores, naming))
        ? [object]
        : [],
    );
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
    backup_identity:
      annotations[ANNOTATIONS.backupIdentity] ?? firstOf(own, identityOf) ?? `${namespace}/${name}`,
    size: (claim as Claimed).spec?.resources?.requests?.storage ?? "",
    uid: annotations[ANNOTATIONS.uid] ?? firstOf(own, (one) => moverOf(one).runAsUser) ?? "default",
    gid: annotations[ANNOTATIONS.gid] ?? firstOf(own, (one) => moverOf(one).runAsGroup) ?? "default",
    tier: labels[LABELS.tier] ?? legacy ?? "",
    schedule: firstOf(own, scheduleOf) ?? "",
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

interface Mover {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
}

interface VolsyncMover {
  readonly repository?: string;
  readonly moverSecurityContext?: Mover;
}

type Stored = KubeObject & {
  readonly spec?: {
    readonly kopia?: VolsyncMover;
    readonly restic?: VolsyncMover;
    readonly repository?: { readonly kind?: string; readonly name?: string };
    readonly mover?: { readonly securityContext?: Mover };
    readonly trigger?: { readonly schedule?: string };
    readonly schedule?: { readonly cron?: string };
  };
};

/** What the first of the objects says that says it. */
function firstOf(
  own: readonly KubeObject[],
  said: (object: KubeObject) => string | number | undefined,
): string | undefined {
  const found = own.map(said).find((one) => one !== undefined);
  return found === undefined ? undefined : String(found);
}

function moverOf(object: KubeObject): Mover {
  const { kopia, restic, mover } = (object as Stored).spec ?? {};
  return (kopia ?? restic)?.moverSecurityContext ?? mover?.securityContext ?? {};
}

function scheduleOf(object: KubeObject): string | undefined {
  const { trigger, schedule } = (object as Stored).spec ?? {};
  return trigger?.schedule ?? schedule?.cron;
}

function repositoryOf(object: KubeObject): string | undefined {
  const { kopia, restic, repository } = (object as Stored).spec ?? {};
  const secret = (kopia ?? restic)?.repository;
  if (secret !== undefined) return `Secret ${secret}`;
  return repository?.name === undefined ? undefined : `${repository.kind ?? "Repository"} ${repository.name}`;
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
