import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { GROUP } from "./group.ts";
import type { DataPathPhase } from "./phases.ts";

/**
 * What Velero's own data mover does with snapshots of volumes: of these kinds only that much is known here. Their CRDs
 * are there where a Velero server is.
 */
export interface DataMovement extends KubeObject {
  readonly spec?: { readonly datamover?: string; readonly cancel?: boolean };
  readonly status?: {
    readonly phase?: DataPathPhase;
    readonly message?: string;
    readonly completionTimestamp?: string | null;
  };
}

const VERSION = "v2alpha1";

export const dataUploadResource: Resource<DataMovement> = {
  group: GROUP,
  version: VERSION,
  kind: "DataUpload",
  plural: "datauploads",
  namespaced: true,
};

export const dataDownloadResource: Resource<DataMovement> = {
  group: GROUP,
  version: VERSION,
  kind: "DataDownload",
  plural: "datadownloads",
  namespaced: true,
};
