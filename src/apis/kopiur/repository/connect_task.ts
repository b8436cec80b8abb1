import type { RunTask } from "../../../core/work/run_request.ts";
import { type Repository, repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import type { Result } from "../../../lib/result.ts";
import type { InitWork } from "../../../wire/work.ts";
import { edition } from "../editions.ts";
import type { Problem } from "../problem.ts";
import { type Ground, taskFor } from "../task.ts";

const PREFIX = "connect-";
/** A server that takes the connection and then says nothing is as good as away. */
const DEADLINE = 300;

/** The purpose of the run that connects: each edit of the repository has one of its own. */
export function connectPurpose(repository: Repository): string {
  return PREFIX + edition(repository);
}

/** The run that opens the repository, and creates it where that is allowed. */
export function connectTask(ground: Ground, purpose: string): Result<RunTask, Problem> {
  const { repository } = ground;
  const owner = { resource: repositoryResource, object: repository };
  const request = { ...ground, owner, purpose, deadlineSeconds: DEADLINE };
  return taskFor(request, () => ({ work: { init: initWork(repository) } }));
}

/** A repository that was there once is never created again: it would be an empty one. */
function initWork({ spec, status }: Repository): InitWork {
  const { enabled, ...parameters } = spec.create;
  if (!enabled || status?.uniqueID) return {};
  return { create: true, ...(Object.keys(parameters).length > 0 ? { parameters } : {}) };
}
