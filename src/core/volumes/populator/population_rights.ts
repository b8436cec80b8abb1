import {
  CsiDrivers,
  PersistentVolumeClaims,
  PersistentVolumes,
  ResourceQuotas,
  StorageClasses,
} from "../../../kube/builtin.ts";
import type { Right } from "../../../kube/rights.ts";

/** Volumes have no namespace: only an operator of the whole cluster fills claims. */
const when = ["cluster"] as const;

/** What populating claims asks for. */
export const POPULATION_RIGHTS: readonly Right[] = [
  {
    resource: PersistentVolumeClaims,
    verbs: ["get", "create", "patch", "delete"],
    when,
    why: "a claim is filled through a second one",
  },
  { resource: PersistentVolumes, verbs: ["get", "patch"], when, why: "the filled volume is handed over" },
  { resource: StorageClasses, verbs: ["get"], when, why: "a class must be able to make a volume" },
  {
    resource: CsiDrivers,
    verbs: ["get"],
    when,
    why: "a provisioner without a driver object may ignore data sources",
  },
  { resource: ResourceQuotas, verbs: ["list"], when, why: "a quota may not leave room for two claims" },
];
