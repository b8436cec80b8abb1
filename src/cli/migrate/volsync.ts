import type { KubeObject } from "../../kube/object.ts";
import { apiVersionOf, type Resource } from "../../kube/resource.ts";
import { isRecord } from "../../lib/json.ts";

export { ReplicationDestinations, ReplicationSources } from "../../kinds/plumber/volsync.ts";

/** Which of VolSync's two kinds that hold backups an object is. */
export function isOf(
  resource: Resource,
  { apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">,
): boolean {
  return kind === resource.kind && apiVersion === apiVersionOf(resource);
}

/** The movers that keep backups, and so have a counterpart here. */
export const MOVERS = ["restic", "kopia"] as const;
export type Mover = (typeof MOVERS)[number];

/** The mover that an object asks for; undefined for one that keeps no backups. */
export function moverOf(object: KubeObject): Mover | undefined {
  const { spec = {} } = object as { readonly spec?: Readonly<Record<string, unknown>> };
  return MOVERS.find((mover) => spec[mover] !== undefined);
}

/** What has a source run. Where nothing says when, VolSync has it run all the time. */
export function triggerOf(object: KubeObject): "schedule" | "manual" | "always" {
  const { spec = {} } = object as { readonly spec?: Readonly<Record<string, unknown>> };
  const { trigger } = spec;
  if (!isRecord(trigger)) return "always";
  if (trigger.schedule !== undefined) return "schedule";
  return trigger.manual === undefined ? "always" : "manual";
}
