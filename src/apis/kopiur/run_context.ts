import { runContext } from "../../core/repository/plan_task.ts";
import type { RunContext } from "../../core/repository/task_for.ts";
import { keyOf } from "../../kube/object.ts";
import type { KopiurPorts } from "./ports.ts";
import type { AnyRepository } from "./references.ts";

/** Looks up what a run on the repository needs to know, in the namespace that it is to run in. */
export function runContextOf(
  ports: Pick<KopiurPorts, "client" | "settings" | "caches">,
  repository: AnyRepository,
  namespace: string,
  signal: AbortSignal,
): Promise<RunContext<AnyRepository>> {
  const home = ports.caches.namespaces.get(keyOf({ name: namespace }));
  const image = repository.spec.kopiaImageOverride;
  return runContext(ports, { repository, namespace, home, image }, signal);
}
