import type { StorageClass } from "../staging/observed_staging.ts";

/** Provisioners that leave claims with a foreign data source alone, as was tried, whether or not they register a driver. */
const TESTED: readonly string[] = ["hostpath.csi.k8s.io"];

/**
 * Why claims of this class cannot be trusted to wait for their data: a provisioner that does not know data sources
 * gives them an empty volume. CSI's own provisioner does know them.
 */
export function provisionerProblem(
  { metadata, provisioner }: StorageClass,
  isDriver: boolean,
): string | undefined {
  if (isDriver || TESTED.includes(provisioner)) return undefined;
  return `StorageClass ${metadata.name} is of the provisioner ${provisioner}, which is no CSI driver of this cluster: it might give the claim an empty volume instead of waiting for its data. Use a class of a CSI driver, or restore into a new claim with target.pvc.`;
}
