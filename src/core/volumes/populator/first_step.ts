import type { Draft } from "../../../kube/object.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { byteQuantity } from "../../policy/byte_quantity.ts";
import { type Claim, type ClaimRequest, claimDraft } from "../claim_request.ts";
import { HIDDEN, type StorageClass } from "../staging/observed_staging.ts";
import type { ClaimStorage, PopulationView, ResourceQuota } from "./observed_population.ts";
import type { PopulationDecision, PopulationState } from "./population_decision.ts";
import { type PopulationSource, PRIME_ASKED, primeMeta, SELECTED_NODE } from "./population_marks.ts";
import { refused } from "./population_words.ts";

/** Makes the prime claim, unless something speaks against it. */
export function firstStep({ source, request, claim, storage, instead }: PopulationView): PopulationDecision {
  const subject = request ? standIn(request) : claim;
  if (!subject) return { state: NOT_SEEN, intents: [] };
  const objection = request
    ? (classProblem(subject, storage) ?? quotaObjection(subject, storage, 2))
    : (shapeProblem(subject) ?? (storage ? storageProblem(subject, storage, instead) : NOT_SEEN));
  if (objection) return { state: objection, intents: [] };
  const reason = request ? "CreatingClaim" : "CreatingPrime";
  const message = "The claim through which the volume is filled is made.";
  const draft = request ? askingDraft(request, source) : primeDraft(subject, source);
  return {
    state: { phase: "Waiting", reason, message },
    intents: [{ type: "CreatePrime", claim: subject, draft }],
  };
}

const NOT_SEEN: PopulationState = { phase: "Waiting", reason: "Looking", message: "The claim is looked at." };

/** The claim as it would be. A prime claim is known by whom its claim is made for, while there is none. */
export function standIn(request: ClaimRequest): Claim {
  const { metadata, spec } = claimDraft(request);
  const { namespace, name } = request;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      ...metadata,
      namespace,
      name,
      uid: request.madeFor,
      resourceVersion: "",
      creationTimestamp: "",
    },
    ...(spec ? { spec } : {}),
  };
}

function askingDraft(request: ClaimRequest, source: PopulationSource): Draft<Claim> {
  const draft = primeDraft(standIn(request), source);
  const { metadata } = draft;
  const annotations = { ...metadata.annotations, [PRIME_ASKED]: askedOf(request, source) };
  return { ...draft, metadata: { ...metadata, annotations } };
}

/** What is asked for, whatever others make of it. */
export function askedOf(request: ClaimRequest, source: PopulationSource): string {
  return fingerprint(JSON.stringify(primeDraft(standIn(request), source).spec));
}

/** As the claim itself, so that its volume fits; without a data source, so that it gets one. */
export function primeDraft(claim: Claim, source: PopulationSource): Draft<Claim> {
  const { accessModes = [], resources, storageClassName, volumeMode } = claim.spec ?? {};
  const { volumeAttributesClassName } = claim.spec ?? {};
  return {
    metadata: primeMeta(claim, source),
    spec: {
      accessModes: [...accessModes],
      resources: { requests: { ...resources?.requests } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
      ...(volumeMode === undefined ? {} : { volumeMode }),
      ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
    },
  };
}

/** What a claim asks for that no filled volume can be. */
export function shapeProblem({ metadata, spec }: Claim): PopulationState | undefined {
  const what = `PersistentVolumeClaim ${metadata.name}`;
  if (spec?.volumeMode === "Block") {
    return refused(
      "BlockVolume",
      `${what} wants a block device, and files cannot be restored into one. Create it with volumeMode: Filesystem.`,
    );
  }
  const modes = spec?.accessModes ?? [];
  if (modes.length > 0 && modes.every((mode) => mode === "ReadOnlyMany")) {
    return refused(
      "ReadOnlyClaim",
      `${what} can only be read, and nothing can be restored into such a volume. Create it with an access mode that allows writing, and mount it read-only.`,
    );
  }
  if (spec?.selector) {
    return refused(
      "SelectorUnsupported",
      `${what} selects its volume by labels, and a new volume has none. Create it without a selector.`,
    );
  }
  if (!spec?.storageClassName) {
    return refused(
      "StorageClassMissing",
      `${what} has no storage class, so that no volume can be made for its data. Create it with the class of a CSI driver.`,
    );
  }
  return undefined;
}

function storageProblem(claim: Claim, storage: ClaimStorage, instead: string): PopulationState | undefined {
  const { storageClass, driver } = storage;
  const name = claim.spec?.storageClassName ?? "";
  if (storageClass === HIDDEN || driver === HIDDEN) {
    return refused(
      "ClusterScopeNeeded",
      `Claims with a data source are filled by handing volumes over, and this operator may not even read storage classes and drivers. Install it for the whole cluster, or ${instead}.`,
    );
  }
  if (!storageClass) return noClass(claim);
  const unfit = provisionerProblem(storageClass, driver !== undefined, instead);
  if (unfit) return refused("ProvisionerUnfit", unfit);
  const waits = storageClass.volumeBindingMode === "WaitForFirstConsumer";
  if (waits && claim.metadata.annotations?.[SELECTED_NODE] === undefined) {
    const message = `StorageClass ${name} waits for the first pod that uses the claim: the volume is filled where that pod is to run.`;
    return { phase: "Waiting", reason: "WaitForFirstConsumer", message };
  }
  return quotaObjection(claim, storage, 1);
}

/** Of a claim that is still to be made: without its class it would wait for a volume for good. */
function classProblem(claim: Claim, storage: ClaimStorage | undefined): PopulationState | undefined {
  return storage?.missingClass ? noClass(claim) : undefined;
}

function noClass({ metadata, spec }: Claim): PopulationState {
  const message = `StorageClass ${spec?.storageClassName ?? ""} does not exist, so that PersistentVolumeClaim ${metadata.name} gets no volume. Create it, or create the claim with another one.`;
  return refused("StorageClassNotFound", message);
}

function quotaObjection(
  claim: Claim,
  { quotas }: Pick<ClaimStorage, "quotas"> = { quotas: [] },
  claims: 1 | 2,
): PopulationState | undefined {
  const full = quotas === HIDDEN ? undefined : quotaProblem(claim, quotas, claims);
  return full === undefined ? undefined : refused("QuotaExceeded", full);
}

/** Provisioners that leave claims with a foreign data source alone, as was tried, whether or not they register a driver. */
const TESTED: readonly string[] = ["hostpath.csi.k8s.io"];

/**
 * Why claims of this class cannot be trusted to wait for their data: a provisioner that does not know data sources
 * gives them an empty volume. CSI's own provisioner does know them. `instead`: what to do, in words that follow "or".
 */
export function provisionerProblem(
  { metadata, provisioner }: StorageClass,
  isDriver: boolean,
  instead: string,
): string | undefined {
  if (isDriver || TESTED.includes(provisioner)) return undefined;
  return `StorageClass ${metadata.name} is of the provisioner ${provisioner}, which is no CSI driver of this cluster: it might give the claim an empty volume instead of waiting for its data. Use a class of a CSI driver, or ${instead}.`;
}

/**
 * Why the namespace has no room for a second claim like this one, which is there for as long as the first is being
 * filled; or for both, where there is none yet. Undefined where it has, or where a quota cannot be understood: the API server has the last word.
 */
export function quotaProblem(
  { metadata, spec }: Claim,
  quotas: readonly ResourceQuota[],
  claims: 1 | 2 = 1,
): string | undefined {
  const storage = spec?.resources?.requests?.storage;
  const ofClass = `${spec?.storageClassName ?? ""}.storageclass.storage.k8s.io`;
  const needs: readonly (readonly [string, string])[] = [
    ["persistentvolumeclaims", "1"],
    ["count/persistentvolumeclaims", "1"],
    ["requests.storage", String(storage ?? "0")],
    [`${ofClass}/persistentvolumeclaims`, "1"],
    [`${ofClass}/requests.storage`, String(storage ?? "0")],
  ];
  for (const { metadata: quota, spec: limits, status } of quotas) {
    for (const [resource, need] of needs) {
      const hard = status?.hard?.[resource] ?? limits?.hard?.[resource];
      const used = status?.used?.[resource] ?? "0";
      if (hard === undefined || fits(used, need, hard, claims)) continue;
      const wanted = claims === 2 ? `twice ${need}` : need;
      return `Filling PersistentVolumeClaim ${metadata.name} takes a second claim of its size and class until it is done: ${wanted} of ${resource}. ResourceQuota ${quota.name} has ${hard}, of which ${used} is used. Raise the quota by that much, or free some of it.`;
    }
  }
  return undefined;
}

function fits(used: string, need: string, hard: string, claims: number): boolean {
  const [u, n, h] = [used, need, hard].map(byteQuantity);
  return u === undefined || n === undefined || h === undefined || u + n * claims <= h;
}
