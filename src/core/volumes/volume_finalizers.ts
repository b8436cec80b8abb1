import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { Held } from "../../kube/write/release_all.ts";
import { PRIME_HELD } from "./populator/population_marks.ts";
import { groupKinds } from "./staging/group_snapshot_kinds.ts";
import { VolumeSnapshots } from "./staging/snapshot_kinds.ts";
import { HELD } from "./staging/staged_marks.ts";

/** What is held back until somebody has looked after it: copies, and claims that are being filled. */
export const VOLUME_FINALIZERS: readonly Held[] = [
  { resource: PersistentVolumeClaims, finalizer: HELD },
  { resource: PersistentVolumeClaims, finalizer: PRIME_HELD },
  { resource: VolumeSnapshots, finalizer: HELD },
  ...(["v1", "v1beta2", "v1beta1"] as const).map((version) => ({
    resource: groupKinds(version).groups,
    finalizer: HELD,
  })),
];
