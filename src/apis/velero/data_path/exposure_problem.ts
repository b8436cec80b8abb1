import { isVolumeFolder } from "../host_path.ts";
import { type Exposed, isBackup, type PodVolume } from "./pod_volume.ts";

/**
 * Pure: why a mover is not given the volume that an object remembers. The memory is in an annotation, which whoever may
 * write the object may write, too: it reaches the volumes of its pod, and no other folder of a node.
 */
export function exposureProblem(
  object: PodVolume,
  { node, hostPath }: Exposed,
  podsFolder?: string,
): string | undefined {
  const { namespace, name, uid } = object.spec.pod;
  const whose = `pod ${namespace}/${name}`;
  if (typeof hostPath !== "string" || !isVolumeFolder(hostPath, { uid, podsFolder }))
    return `The folder ${hostPath} that was noted for the mover is not that of a volume of ${whose}. ${AGAIN}`;
  const expected = isBackup(object) ? object.spec.node : object.status?.node;
  if (expected === undefined || node !== expected)
    return `The node ${node} that was noted for the mover is not ${expected ?? "any"}, where ${whose} is. ${AGAIN}`;
  return undefined;
}

const AGAIN = "Somebody has changed the object. Create it anew.";
