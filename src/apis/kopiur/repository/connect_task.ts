import type { RunTask } from "../../../core/work/run_request.ts";
import { clusterRepositoryResource } from "../../../kinds/kopiur/generated/cluster_repository.ts";
import { repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import type { Resource } from "../../../kube/resource.ts";
import type { Result } from "../../../lib/result.ts";
import type { InitWork } from "../../../wire/work.ts";
import type { Problem } from "../problem.ts";
import { type AnyRepository, isOfCluster } from "../references.ts";
import { type Ground, taskFor } from "../task.ts";

/** A server that takes the connection and then says nothing is as good as away. */
const DEADLINE = 300;

/** The run that opens the repository, and creates it where that is allowed. */
export function connectTask(ground: Ground, purpose: string): Result<RunTask, Problem> {
  const { repository } = ground;
  const resource: Resource = isOfCluster(repository) ? clusterRepositoryResource : repositoryResource;
  const owner = { resource, object: repository };
  const request = { ...ground, owner, purpose, deadlineSeconds: DEADLINE };
  return taskFor(request, () => ({ work: { init: initWork(repository) } }));
}

/** A repository that was there once is never created again: it would be an empty one. */
function initWork({ spec, status }: AnyRepository): InitWork {
  const { enabled, ...parameters } = spec.create;
  if (!enabled || status?.uniqueID) return {};
  return { create: true, ...(Object.keys(parameters).length > 0 ? { parameters } : {}) };
}
