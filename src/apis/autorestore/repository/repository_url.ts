import type { Violation } from "../../../core/reconcile/violation.ts";
import type { UrlProblem } from "../../../core/repository/backend_of_url.ts";

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
