import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { ReplicationDestinations, ReplicationSources } from "../../kinds/plumber/volsync.ts";
import { ANNOTATIONS, GENERATED, IDENTITY_HOST, LABELS } from "../../kinds/plumber/words.ts";
import { type Deployer, deployedBy } from "../../kube/deployed_by.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";

/** The kinds that labels of a PVC become, and what the object of a PVC is called. */
export const ADOPTED: readonly { readonly resource: Resource; readonly restores: boolean }[] = [
  { resource: ReplicationSources, restores: false },
  { resource: ReplicationDestinations, restores: true },
  { resource: backupConfigResource, restores: false },
  { resource: backupScheduleResource, restores: false },
  { resource: restoreResource, restores: true },
];

export type Naming = "bare-dst" | "legacy-backup";

/** What there is to adopt from. */
export interface AdoptionGround {
  readonly claims: readonly KubeObject[];
  /** Of every kind in ADOPTED. */
  readonly objects: ReadonlyMap<Resource, readonly KubeObject[]>;
  readonly naming: Naming;
  /** Nothing in Git renders the objects any more, whatever their marks say. */
  readonly ownerGone: boolean;
  /** Labels become VolSync's objects. Where they do not, nothing would look after those any more. */
  readonly volsync: boolean;
}

/** What becomes of one object. */
export type AdoptionStep = {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly pvc: string;
} & (
  | { readonly verdict: "adopt" | "managed" }
  | { readonly verdict: "blocked"; readonly why: string; readonly fix: string }
);

/** What can be handed over to the operator, and what is in the way of the rest. Pure. */
export function adoptionPlan(ground: AdoptionGround): readonly AdoptionStep[] {
  return ground.claims.flatMap((claim) =>
    ADOPTED.flatMap(({ resource, restores }) => {
      const wanted = objectName(claim.metadata.name, restores, ground.naming);
      const objects = ground.objects.get(resource) ?? [];
      return objects
        .filter((object) => object.metadata.namespace === claim.metadata.namespace)
        .filter((object) => object.metadata.name === wanted || sourceOf(object) === claim.metadata.name)
        .map((object) => stepOf({ claim, resource, object, wanted }, ground));
    }),
  );
}

export function objectName(pvc: string, restores: boolean, naming: Naming): string {
  if (naming === "legacy-backup") return `${pvc}-backup`;
  return restores ? `${pvc}-dst` : pvc;
}

interface Candidate {
  readonly claim: KubeObject;
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly wanted: string;
}

function stepOf(candidate: Candidate, ground: AdoptionGround): AdoptionStep {
  const { claim, resource, object } = candidate;
  const step = { resource, object, pvc: claim.metadata.name };
  if (object.metadata.labels?.[GENERATED.managedBy] === GENERATED.manager) {
    return { ...step, verdict: "managed" };
  }
  const objection = OBJECTIONS.map((rule) => rule(candidate, ground)).find((one) => one !== undefined);
  return objection ? { ...step, verdict: "blocked", ...objection } : { ...step, verdict: "adopt" };
}

interface Objection {
  readonly why: string;
  readonly fix: string;
}

type Rule = (candidate: Candidate, ground: AdoptionGround) => Objection | undefined;

const NAMES: Readonly<Record<Deployer, string>> = { argocd: "Argo CD", flux: "Flux", helm: "Helm" };

/** In this order: the first that holds is shown. */
const OBJECTIONS: readonly Rule[] = [
  ({ object }, { ownerGone }) => {
    const deployer = deployedBy(object.metadata);
    if (deployer === undefined || ownerGone) return undefined;
    return {
      why: `${NAMES[deployer]} deploys it.`,
      fix: "Remove it from Git and keep the PVC there. The operator then creates its own. If nothing in Git renders it any more, add --owner-gone.",
    };
  },
  ({ resource }, { volsync }) =>
    volsync || resource.group !== ReplicationSources.group
      ? undefined
      : {
          why: "The operator looks after VolSync's objects only with plumber.output: volsync.",
          fix: "If that is set, add --volsync. Otherwise delete or pause the ReplicationSource: the operator's own schedule waits until then.",
        },
  ({ claim }) => {
    const missing = MUST_HAVE.filter((label) => claim.metadata.labels?.[label] === undefined);
    if (missing.length === 0) return undefined;
    return {
      why: `PVC ${claim.metadata.name} has no label ${missing.join(", ")}, so the operator would remove the object.`,
      fix: "Label the PVC first: see the guide on protection by labels.",
    };
  },
  ({ object, wanted }) =>
    object.metadata.name === wanted
      ? undefined
      : {
          why: `The operator calls its own ${wanted}.`,
          fix: "Delete it once the operator's own has made a backup; or try again with another --naming.",
        },
  ({ object, claim }) => {
    const source = sourceOf(object);
    return source === undefined || source === claim.metadata.name
      ? undefined
      : { why: `It backs up PVC ${source}.`, fix: "Give it, or the PVC, another name." };
  },
  ({ object, claim }) => {
    const [has, needs] = [identityOf(object), expectedIdentity(claim)];
    if (has === undefined || has === needs) return undefined;
    return {
      why: `Its backups have the identity ${has}, and those of the PVC would have ${needs}.`,
      fix: `Set the annotation ${ANNOTATIONS.backupIdentity}: ${has} on the PVC, so that the history goes on.`,
    };
  },
];

const MUST_HAVE = [LABELS.enabled, LABELS.manage, LABELS.tier];

type Spec = {
  readonly sourcePVC?: string;
  readonly sources?: readonly { readonly pvc?: { readonly name?: string } }[];
  readonly kopia?: { readonly username?: string; readonly hostname?: string };
  readonly identity?: { readonly username?: string; readonly hostname?: string };
  readonly source?: { readonly identity?: { readonly username?: string; readonly hostname?: string } };
};

const specOf = (object: KubeObject) => (object as { readonly spec?: Spec }).spec ?? {};

/** The PVC that an object backs up, where it says so. */
export function sourceOf(object: KubeObject): string | undefined {
  const { sourcePVC, sources } = specOf(object);
  return sourcePVC ?? (sources?.length === 1 ? sources[0]?.pvc?.name : undefined);
}

/** Under which its backups are: VolSync takes the object's own name and namespace where nothing is said. */
export function identityOf(object: KubeObject): string | undefined {
  const { name, namespace } = object.metadata;
  const { kopia, identity, source } = specOf(object);
  const said = kopia ?? identity ?? source?.identity;
  if (!said) return undefined;
  const isDestination = object.kind === ReplicationDestinations.kind;
  if (isDestination && said.username === undefined) return undefined;
  return `${said.hostname ?? namespace}/${said.username ?? name}`;
}

function expectedIdentity({ metadata }: KubeObject): string {
  const own = metadata.annotations?.[ANNOTATIONS.backupIdentity];
  if (own === undefined) return `${metadata.namespace}/${metadata.name}`;
  return own.includes("/") ? own : `${IDENTITY_HOST}/${own}`;
}
