import type { Claim } from "../../../core/volumes/claim_request.ts";
import { shapeProblem } from "../../../core/volumes/populator/first_step.ts";
import { provisionerProblem } from "../../../core/volumes/populator/provisioner_problem.ts";
import type { StorageClass } from "../../../core/volumes/staging/observed_staging.ts";
import { restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import { GROUP } from "../../../kinds/kopiur/group.ts";
import type { Verdict } from "../../../kube/admission/review.ts";
import { type Webhook, webhook } from "../../../kube/admission/webhook.ts";
import { CsiDrivers, PersistentVolumeClaims, StorageClasses } from "../../../kube/builtin.ts";
import type { Informers } from "../../../kube/cache/informers.ts";
import type { KubeObject, ObjectKey } from "../../../kube/object.ts";
import type { Found } from "./lookup.ts";

/** What is known of storage classes and drivers. */
export interface StorageLookup {
  storageClass(name: string): Found<StorageClass>;
  driver(name: string): Found<KubeObject>;
}

export function storageLookup(informers: Pick<Informers, "cache">): StorageLookup {
  const classes = informers.cache({
    resource: StorageClasses,
    keep: { provisioner: true },
    optional: true,
  });
  const drivers = informers.cache<KubeObject>({ resource: CsiDrivers, metadataOnly: true, optional: true });
  return {
    storageClass: (name) => classes.get(name as ObjectKey) ?? (classes.synced ? "absent" : "unknown"),
    driver: (name) => drivers.get(name as ObjectKey) ?? (drivers.synced ? "absent" : "unknown"),
  };
}

/**
 * Refuses claims that name a Restore and whose provisioner would give them an empty volume. No other claim comes by
 * here, and while nobody serves it all get in: then the controller says what is wrong.
 */
export function claimWebhook(lookup: StorageLookup): Webhook {
  const { kind } = restoreResource;
  return webhook<Claim>({
    type: "validating",
    name: `validate.persistentvolumeclaims.${GROUP}`,
    path: "/kopiur/validate/persistentvolumeclaims",
    resource: PersistentVolumeClaims,
    operations: ["CREATE"],
    onFailure: "allow",
    timeoutSeconds: 5,
    matchConditions: [
      {
        name: "from-a-restore",
        expression: `has(object.spec.dataSourceRef) && has(object.spec.dataSourceRef.apiGroup) && object.spec.dataSourceRef.apiGroup == '${GROUP}' && object.spec.dataSourceRef.kind == '${kind}'`,
      },
    ],
    validate: ({ object }) => (object ? checkClaim(object, lookup) : { allowed: true }),
  });
}

export function checkClaim(claim: Claim, lookup: StorageLookup): Verdict {
  const name = claim.spec?.storageClassName;
  // A cluster may still give it a default class.
  if (name === undefined)
    return { allowed: true, warnings: ["the claim has no storage class, and waits for one"] };
  const shape = shapeProblem(claim);
  if (shape?.phase === "Refused") return { allowed: false, code: 422, message: shape.message };
  const storageClass = lookup.storageClass(name);
  if (typeof storageClass !== "object") return later(name);
  const driver = lookup.driver(storageClass.provisioner);
  if (driver === "unknown") return later(name);
  const unfit = provisionerProblem(storageClass, driver !== "absent");
  return unfit === undefined ? { allowed: true } : { allowed: false, code: 422, message: unfit };
}

function later(name: string): Verdict {
  return {
    allowed: true,
    warnings: [`StorageClass ${name} could not be looked up; the operator checks it later`],
  };
}
