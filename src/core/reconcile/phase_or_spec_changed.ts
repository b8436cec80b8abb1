import type { Change } from "../../kube/cache/cache.ts";
import { specChanged } from "../../kube/controller/spec_changed.ts";
import type { KubeObject } from "../../kube/object.ts";

interface Phased extends KubeObject {
  readonly status?: { readonly phase?: string };
}

/** Whether an object began, ended, goes or was edited: its progress alone concerns nobody but itself. */
export function phaseOrSpecChanged(change: Change<Phased>): boolean {
  return (
    change.type !== "updated" ||
    change.object.status?.phase !== change.previous.status?.phase ||
    specChanged(change)
  );
}
