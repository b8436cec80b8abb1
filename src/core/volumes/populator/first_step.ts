import type { Draft } from "../../../kube/object.ts";
import type { Claim } from "../claim_request.ts";
import { HIDDEN } from "../staging/observed_staging.ts";
import type { PopulationGround, PopulationView } from "./observed_population.ts";
import type { PopulationDecision, PopulationState } from "./population_decision.ts";
import { type PopulationSource, primeMeta, SELECTED_NODE } from "./population_marks.ts";
import { provisionerProblem } from "./provisioner_problem.ts";
import { quotaProblem } from "./quota_problem.ts";

/** Makes the prime claim, unless something speaks against it. */
export function firstStep({ source, ground }: PopulationView, claim: Claim): PopulationDecision {
  const objection = shapeProblem(claim) ?? (ground ? groundProblem(claim, ground) : NOT_SEEN);
  if (objection) return { state: objection, intents: [] };
  const message = "The claim through which the volume is filled is made.";
  return {
    state: { phase: "Waiting", reason: "CreatingPrime", message },
    intents: [{ type: "CreatePrime", claim, draft: primeDraft(claim, source) }],
  };
}

const NOT_SEEN: PopulationState = { phase: "Waiting", reason: "Looking", message: "The claim is looked at." };

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

function groundProblem(
  claim: Claim,
  { storageClass, driver, quotas }: PopulationGround,
): PopulationState | undefined {
  const name = claim.spec?.storageClassName ?? "";
  if (storageClass === HIDDEN || driver === HIDDEN) {
    return refused(
      "ClusterScopeNeeded",
      "Claims with a data source are filled by handing volumes over, and this operator may not even read storage classes and drivers. Install it for the whole cluster, or restore into a new claim with target.pvc.",
    );
  }
  if (!storageClass) {
    return refused(
      "StorageClassNotFound",
      `StorageClass ${name} does not exist, so that PersistentVolumeClaim ${claim.metadata.name} gets no volume. Create it, or create the claim with another one.`,
    );
  }
  const unfit = provisionerProblem(storageClass, driver !== undefined);
  if (unfit) return refused("ProvisionerUnfit", unfit);
  const waits = storageClass.volumeBindingMode === "WaitForFirstConsumer";
  if (waits && claim.metadata.annotations?.[SELECTED_NODE] === undefined) {
    const message = `StorageClass ${name} waits for the first pod that uses the claim: the volume is filled where that pod is to run.`;
    return { phase: "Waiting", reason: "WaitForFirstConsumer", message };
  }
  const full = quotas === HIDDEN ? undefined : quotaProblem(claim, quotas);
  return full === undefined ? undefined : refused("QuotaExceeded", full);
}

function refused(reason: string, message: string): PopulationState {
  return { phase: "Refused", class: "structural", reason, message };
}
