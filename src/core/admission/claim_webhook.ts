import type { Verdict } from "../../kube/admission/review.ts";
import { type Webhook, webhook } from "../../kube/admission/webhook.ts";
import { CsiDrivers, PersistentVolumeClaims, StorageClasses } from "../../kube/builtin.ts";
import { type Found, findIn } from "../../kube/cache/found.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Claim } from "../volumes/claim_request.ts";
import { provisionerProblem, shapeProblem } from "../volumes/populator/first_step.ts";
import type { StorageClass } from "../volumes/staging/observed_staging.ts";

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
    storageClass: (name) => findIn(classes, { name }),
    driver: (name) => findIn(drivers, { name }),
  };
}

export interface PopulatedKind {
  readonly api: string;
  readonly source: Resource;
  /** How people get the data without a data source. */
  readonly instead: string;
}

/**
 * Refuses claims that are to be populated from an object of this kind, and whose provisioner would give them an empty
 * volume. No other claim comes by here, and while nobody serves it all get in: then the controller says what is wrong.
 */
export function claimWebhook({ api, source, instead }: PopulatedKind, lookup: StorageLookup): Webhook {
  const { group, kind } = source;
  return webhook<Claim>({
    type: "validating",
    name: `validate.persistentvolumeclaims.${group}`,
    path: `/${api}/validate/persistentvolumeclaims`,
    resource: PersistentVolumeClaims,
    operations: ["CREATE"],
    onFailure: "allow",
    timeoutSeconds: 5,
    matchConditions: [
      {
        name: `from-a-${kind.toLowerCase()}`,
        expression: `has(object.spec.dataSourceRef) && has(object.spec.dataSourceRef.apiGroup) && object.spec.dataSourceRef.apiGroup == '${group}' && object.spec.dataSourceRef.kind == '${kind}'`,
      },
    ],
    validate: ({ object }) => (object ? checkClaim(object, lookup, instead) : { allowed: true }),
  });
}

export function checkClaim(claim: Claim, lookup: StorageLookup, instead: string): Verdict {
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
  const unfit = provisionerProblem(storageClass, driver !== "absent", instead);
  return unfit === undefined ? { allowed: true } : { allowed: false, code: 422, message: unfit };
}

function later(name: string): Verdict {
  return {
    allowed: true,
    warnings: [`StorageClass ${name} could not be looked up; the operator checks it later`],
  };
}
