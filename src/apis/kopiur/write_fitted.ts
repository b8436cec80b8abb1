import type { Writer } from "../../kube/client.ts";
import type { KubeObject } from "../../kube/object.ts";
import { type StatusChange, type WriteStatusOptions, writeStatus } from "../../kube/write/status.ts";
import { fitted } from "./fitted_status.ts";

/** How every status of this API is written: whatever there is to say, the API server has room for it. */
export function writeFitted<T extends KubeObject>(
  client: Writer,
  change: StatusChange<T>,
  options: WriteStatusOptions,
): Promise<T> {
  return writeStatus(client, { ...change, status: fitted(change.status) }, options);
}
