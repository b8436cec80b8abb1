import type { Violation } from "../../../core/reconcile/violation.ts";
import type { UrlProblem } from "../../../core/repository/backend_of_url.ts";
import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import type { ObjectName } from "../../../kube/object.ts";

/** What is wrong with the URL of a repository whose settings stand at `at`. It may hold a password, and is not repeated. */
export function urlViolation(url: string, problem: UrlProblem, at: string): Violation {
  if (problem.type === "Volume") {
    return {
      reason: "VolumeMissing",
      field: `${at}.volume`,
      what: `the repository ${url} is a path on no volume`,
      why: "movers have no disk of their own",
      fix: "Name the PVC that holds it in volume.claimName",
    };
  }
  return {
    reason: "UrlUnsupported",
    field: `${at}.repository`,
    what: `the repository's URL, which begins with ${url.split(":", 1)[0]?.slice(0, 32)}, cannot be used`,
    why: "it names no storage that Holdfast reaches with restic",
    fix:
      problem.type === "Form"
        ? `Write it as ${problem.form}`
        : `Use ${problem.known.join(":, ")}: or an absolute path on a volume`,
  };
}

/** The PVC that a repository lies on, where it lies on one. */
export function storeOf({ metadata: { namespace }, spec }: ResticRepository): ObjectName | undefined {
  return spec.volume && { namespace, name: spec.volume.claimName };
}
