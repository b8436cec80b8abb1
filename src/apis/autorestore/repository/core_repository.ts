import type { Problem } from "../../../core/reconcile/problem.ts";
import { problemOf } from "../../../core/reconcile/violation.ts";
import type { Repository } from "../../../core/repository/repository.ts";
import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { coreState } from "./repository_status.ts";
import { backendOf, passwordOf, repositoryViolations } from "./repository_violations.ts";

/** Runs at once on one repository. */
export const MAX_RUNS = 4;

/** A ResticRepository as the engine room knows repositories; or what is wrong with it. */
export function coreRepository(object: ResticRepository): Result<Repository, Problem> {
  const { apiVersion, kind, metadata, spec, status } = object;
  const [violation] = repositoryViolations(spec, "spec");
  if (violation) return err(problemOf(violation));
  const backend = backendOf(spec, "spec");
  if (!backend.ok) return err(problemOf(backend.error));
  return ok({
    apiVersion,
    kind,
    metadata,
    spec: {
      engine: "restic",
      backend: backend.value,
      encryption: { passwordSecretRef: passwordOf(spec) ?? { name: "", key: "" } },
      create: { enabled: true },
      moverDefaults: { privilegedMode: spec.privilegedMover },
      concurrency: { maxRuns: MAX_RUNS },
    },
    ...(status ? { status: coreState(status) } : {}),
  });
}
