import { posix } from "node:path";
import { Failure } from "../../kube/failure.ts";
import { groupOf } from "../../kube/object.ts";
import type { RunTask } from "./run_request.ts";

/** What runs offer only to the APIs that declare it. */
export type RunUse = "hostPath" | "startSignal";

/** By the group of an API. */
export type AllowedUses = ReadonlyMap<string, readonly RunUse[]>;

/**
 * The folder of exactly one volume, as kubelets lay it out: nothing above it, where other volumes are, and nothing
 * inside, where the volume's users could have put a link. Of CSI it is the mount point in the volume's folder.
 */
const ONE_VOLUME =
  /^(\/(?!pods\/)[^/]+)*\/pods\/[^/]+\/volumes\/(kubernetes\.io~csi\/[^/]+\/mount|(?!kubernetes\.io~csi\/)[^/]+\/[^/]+)$/;
const NODE_LABEL = "kubernetes.io/hostname";

/** Why a task may not be: what it uses is not for the API of its owner, or not to be had in this way. Pure. */
export function refusedUse(task: RunTask, allowed: AllowedUses): Failure | undefined {
  const { owner, hostVolume, startsBySignal, mover } = task;
  const group = groupOf(owner);
  const may = (use: RunUse) => allowed.get(group)?.includes(use) ?? false;
  const refuse = (reason: string, why: string) =>
    new Failure("terminal", reason, `The run of ${owner.kind} ${owner.name} is refused: ${why}.`);
  if (startsBySignal && !may("startSignal"))
    return refuse("StartSignalNotAllowed", `the API ${group} has not declared that its runs start by signal`);
  if (!hostVolume) return undefined;
  const { hostPath } = hostVolume;
  if (!may("hostPath"))
    return refuse("HostPathNotAllowed", `the API ${group} has not declared that its runs mount host paths`);
  if (posix.normalize(hostPath) !== hostPath || !ONE_VOLUME.test(hostPath))
    return refuse("HostPathInvalid", `the host path ${hostPath} is not the folder of one volume of a pod`);
  if (!mover.nodeName && !mover.nodeSelector?.[NODE_LABEL])
    return refuse("HostPathWithoutNode", `the host path ${hostPath} is named without its node`);
  return undefined;
}
