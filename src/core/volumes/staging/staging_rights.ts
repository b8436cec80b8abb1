import {
  Events,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  StorageClasses,
} from "../../../kube/builtin.ts";
import type { Right } from "../../../kube/rights.ts";
import { groupKinds } from "./group_snapshot_kinds.ts";
import { VolumeSnapshotClasses, VolumeSnapshotContents, VolumeSnapshots } from "./snapshot_kinds.ts";

const GROUPS = groupKinds("v1");

/** What capturing volumes asks for: snapshots, clones, and their removal. */
export const STAGING_RIGHTS: readonly Right[] = [
  {
    resource: VolumeSnapshots,
    verbs: ["get", "list", "watch", "create", "patch", "delete"],
    why: "volumes are captured by snapshots",
  },
  {
    resource: GROUPS.groups,
    verbs: ["get", "list", "create", "patch", "delete"],
    why: "several volumes are captured at one moment",
  },
  {
    resource: PersistentVolumeClaims,
    verbs: ["get", "list", "create", "patch", "delete"],
    why: "copies of volumes are claims, made for a backup and removed after it",
  },
  {
    resource: PersistentVolumes,
    verbs: ["get", "patch"],
    when: ["cluster"],
    why: "a copy's volume goes with its claim, whatever its class says",
  },
  ...[VolumeSnapshotContents, GROUPS.contents].map(
    (resource): Right => ({
      resource,
      verbs: ["get", "patch", "delete"],
      when: ["cluster"],
      why: "what is behind a snapshot goes with it, whatever its class says",
    }),
  ),
  ...[VolumeSnapshotClasses, GROUPS.classes].map(
    (resource): Right => ({
      resource,
      verbs: ["list"],
      when: ["clusterReads"],
      why: "the class that fits a volume's driver is chosen",
    }),
  ),
  {
    resource: StorageClasses,
    verbs: ["get"],
    when: ["clusterReads"],
    why: "a copy may wait for its first pod",
  },
  {
    resource: Nodes,
    verbs: ["get"],
    when: ["clusterReads"],
    why: "a mover must fit the node of the volume that it reads",
  },
  { resource: Events, verbs: ["list"], why: "only events tell why a copy gets no volume" },
];
