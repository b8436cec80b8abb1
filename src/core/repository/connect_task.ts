import type { Resource } from "../../kube/resource.ts";
import type { Result } from "../../lib/result.ts";
import type { InitWork } from "../../wire/work.ts";
import type { Problem } from "../reconcile/problem.ts";
import type { RunTask } from "../work/run_request.ts";
import type { Settings } from "../work/settings.ts";
import { isReadOnly } from "./read_only.ts";
import type { Repository } from "./repository.ts";
import { type RunContext, taskFor } from "./task_for.ts";

/** A server that takes the connection and then says nothing is as good as away. */
const DEADLINE = 300;

/** The run that opens the repository, and creates it where that is allowed. `resource`: the repository's. */
export function connectTask(
  context: RunContext,
  resource: Resource,
  purpose: string,
): Result<RunTask, Problem> {
  const { repository } = context;
  const owner = { resource, object: repository };
  const request = { ...context, owner, purpose, deadlineSeconds: DEADLINE };
  return taskFor(request, () => ({ work: { init: initWork(repository, context.settings) } }));
}

/** A repository that was there once is never created again: it would be an empty one. */
function initWork(repository: Repository, { createRepositories = false }: Settings): InitWork {
  const { spec, status } = repository;
  const { enabled = createRepositories, ...parameters } = spec.create;
  if (!enabled || status?.uniqueID || isReadOnly(repository)) return {};
  return { create: true, ...(Object.keys(parameters).length > 0 ? { parameters } : {}) };
}
