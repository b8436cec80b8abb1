import { runContext } from "../../core/repository/plan_task.ts";
import type { Repository } from "../../core/repository/repository.ts";
import type { RunContext } from "../../core/repository/task_for.ts";
import { keyOf } from "../../kube/object.ts";
import type { AutorestorePorts } from "./ports.ts";

/** Looks up what a run on the repository needs to know, in the namespace that it is to run in. */
export function runContextOf(
  ports: AutorestorePorts,
  repository: Repository,
  namespace: string,
  signal: AbortSignal,
): Promise<RunContext> {
  const home = ports.caches.namespaces.get(keyOf({ name: namespace }));
  return runContext(ports, { repository, namespace, home }, signal);
}
