import { type KubeObject, keyOf } from "../../kube/object.ts";
import { CommandProblem } from "../frame/problem.ts";
import type { Manifest } from "./migrated_source.ts";
import { isOf, moverOf, ReplicationSources, triggerOf } from "./volsync.ts";

export interface ApplyPlan {
  /** What is written to the cluster. */
  readonly applied: readonly Manifest[];
  /** What would write data at once, and so is left to whoever wants it. */
  readonly left: readonly Manifest[];
}

/** What of a migration is applied. Throws a CommandProblem while VolSync would go on beside it. Pure. */
export function applyPlan(objects: readonly KubeObject[], manifests: readonly Manifest[]): ApplyPlan {
  const running = objects.filter(runsByItself).map(({ metadata }) => keyOf(metadata));
  if (running.length > 0) {
    throw new CommandProblem("VolSync still backs up what is migrated", {
      why: `These ReplicationSources run by themselves and are not paused: ${running.join(", ")}.`,
      fix: "Set spec.paused of each to true, where they are kept, and try again. Nothing was applied.",
    });
  }
  const writes = ({ kind, spec }: Manifest) => kind === "Restore" && "target" in spec;
  return {
    applied: manifests.filter((manifest) => !writes(manifest)),
    left: manifests.filter(writes),
  };
}

function runsByItself(object: KubeObject): boolean {
  if (!isOf(ReplicationSources, object) || !moverOf(object)) return false;
  const { spec = {} } = object as { readonly spec?: Readonly<Record<string, unknown>> };
  return spec.paused !== true && triggerOf(object) !== "manual";
}
