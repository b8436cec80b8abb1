import { isAlreadyExists, isNotFound } from "../../../kube/api_error.ts";
import { PersistentVolumeClaims, PersistentVolumes } from "../../../kube/builtin.ts";
import type { CallOptions, Client } from "../../../kube/client.ts";
import { Failure } from "../../../kube/failure.ts";
import { type KubeObject, keyOf, type Partially } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { explainedRefusal, type RefusalRemedies } from "../../../kube/write/explained_refusal.ts";
import { removeFinalizer } from "../../../kube/write/finalizers.ts";
import { unreachable } from "../../../lib/result.ts";
import { endRuns } from "../../work/end_runs.ts";
import type { ClaimRequest } from "../claim_request.ts";
import { ensureClaim } from "../ensure_claim.ts";
import type { PopulationIntent } from "./population_decision.ts";
import {
  FILLED_FOR,
  isPrimeFor,
  POLICY_KEPT,
  POPULATED,
  PRIME_HELD,
  primeRunLabels,
} from "./population_marks.ts";

/** Does what was decided, in order. The first failure ends it: what is left is decided again. */
export async function carryOutPopulation(
  client: Client,
  intents: readonly PopulationIntent[],
  call: CallOptions = {},
): Promise<void> {
  for (const intent of intents) await carryOutOne(client, intent, call);
}

async function carryOutOne(client: Client, intent: PopulationIntent, call: CallOptions): Promise<void> {
  switch (intent.type) {
    case "CreatePrime":
      return createPrime(client, intent, call);
    case "Reserve":
      return reserve(client, intent.request, call);
    case "HandOver":
      return handOver(client, intent, call);
    case "PutPolicyBack": {
      const { volume, policy } = intent;
      return change(
        client,
        PersistentVolumes,
        volume,
        {
          metadata: { annotations: { [POLICY_KEPT]: null } },
          spec: { persistentVolumeReclaimPolicy: policy },
        },
        call,
      );
    }
    case "MakeTemporary":
    case "MakeLasting": {
      const policy = intent.type === "MakeTemporary" ? "Delete" : "Retain";
      const spec = { persistentVolumeReclaimPolicy: policy };
      return change(client, PersistentVolumes, intent.volume, { spec }, call);
    }
    case "MarkPopulated": {
      const annotations = { [POPULATED]: intent.claim.metadata.uid };
      return change(client, PersistentVolumeClaims, intent.claim, { metadata: { annotations } }, call);
    }
    case "DeletePrime": {
      const { metadata } = intent.prime;
      // What has ended in it still holds it.
      await endRuns(client, metadata.namespace ?? "", primeRunLabels(intent.prime), call);
      await client.delete(PersistentVolumeClaims, metadata, {
        uid: metadata.uid,
        propagation: "Background",
        ...call,
      });
      return;
    }
    case "ReleasePrime":
      // The next one has its name: a Job that waits to be let go must not find that.
      await endRuns(client, intent.prime.metadata.namespace ?? "", primeRunLabels(intent.prime), call);
      await removeFinalizer(
        client,
        { resource: PersistentVolumeClaims, object: intent.prime, finalizer: PRIME_HELD },
        call,
      );
      return;
    default:
      return unreachable(intent);
  }
}

async function createPrime(
  client: Client,
  { claim, draft }: Extract<PopulationIntent, { type: "CreatePrime" }>,
  call: CallOptions,
): Promise<void> {
  const { name = "", namespace } = draft.metadata;
  const key = keyOf({ namespace, name });
  try {
    await client.create(PersistentVolumeClaims, draft, call);
  } catch (error) {
    if (!isAlreadyExists(error)) throw explainedRefusal(error, `PersistentVolumeClaim ${key}`, REMEDIES);
    const present = await client.get(PersistentVolumeClaims, { namespace, name }, call);
    if (isPrimeFor(present, claim)) return;
    throw new Failure(
      "structural",
      "ClaimExists",
      `PersistentVolumeClaim ${key} is there already and was not made for this: it is left as it is. Delete it if its data is not needed.`,
      { cause: error },
    );
  }
}

async function reserve(client: Client, request: ClaimRequest, call: CallOptions): Promise<void> {
  try {
    await ensureClaim(client, request, call);
  } catch (error) {
    const refusal = explainedRefusal(error, `PersistentVolumeClaim ${keyOf(request)}`, REMEDIES);
    throw refusal instanceof Failure ? new ClaimRefused(refusal) : refusal;
  }
}

/** A claim that was to be made for its volume cannot be: all else goes on without it. */
export class ClaimRefused extends Failure {
  constructor(refusal: Failure) {
    super(refusal.class, refusal.reason, refusal.message, { cause: refusal });
  }
}

const REMEDIES: RefusalRemedies = {
  forbidden: (said) =>
    /quota|maximum storage|minimum storage/i.test(said)
      ? {
          reason: "QuotaExceeded",
          remedy:
            "Until the data is in it there are two claims of this size and class, see ResourceQuotas and LimitRanges: raise what does not allow both.",
        }
      : {
          reason: "Forbidden",
          remedy: "Grant the operator this right, or meet the rule that refuses it.",
        },
  invalid: "Correct the class, the size, the access modes or the labels of the claim.",
};

/** In one patch: there is no moment at which the volume is reserved for the claim, and could be deleted. */
function handOver(
  client: Client,
  { volume, claim }: Extract<PopulationIntent, { type: "HandOver" }>,
  call: CallOptions,
): Promise<void> {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const kept = volume.metadata.annotations?.[POLICY_KEPT];
  const policy = kept ?? volume.spec?.persistentVolumeReclaimPolicy ?? "Retain";
  const claimRef = {
    apiVersion: "v1",
    kind: PersistentVolumeClaims.kind,
    namespace,
    name,
    uid,
    resourceVersion,
  };
  return change(
    client,
    PersistentVolumes,
    volume,
    {
      metadata: { annotations: { [FILLED_FOR]: uid, [POLICY_KEPT]: policy } },
      spec: { claimRef, persistentVolumeReclaimPolicy: "Retain" },
    },
    call,
  );
}

/** Only as it was when it was decided upon: a changed object, or another of its name, is refused as a conflict. */
async function change(
  client: Client,
  resource: Resource,
  object: KubeObject,
  changes: { readonly metadata?: object; readonly spec?: object },
  call: CallOptions,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const patch = { ...changes, metadata: { ...changes.metadata, uid, resourceVersion } };
  try {
    await client.patch(
      resource,
      object.metadata,
      { type: "merge", patch: patch as Partially<KubeObject> },
      call,
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
