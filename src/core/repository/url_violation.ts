import type { Violation } from "../reconcile/violation.ts";
import type { UrlProblem } from "./backend_of_url.ts";

/** How an API's fields are called that say where a repository is. */
export interface UrlWords {
  readonly url: string;
  readonly volume: string;
  /** Names the PVC, below `volume`. */
  readonly claim: string;
  readonly engine: string;
}

/** What is wrong with the URL of a repository. It may hold a password, and is not repeated. */
export function urlViolation(url: string, problem: UrlProblem, words: UrlWords): Violation {
  if (problem.type === "Volume") {
    return {
      reason: "VolumeMissing",
      field: words.volume,
      what: `the repository ${url} is a path on no volume`,
      why: "movers have no disk of their own",
      fix: `Name the PVC that holds it in ${words.claim}`,
    };
  }
  return {
    reason: "UrlUnsupported",
    field: words.url,
    what: `the repository's URL, which begins with ${url.split(":", 1)[0]?.slice(0, 32)}, cannot be used`,
    why: `it names no storage that Holdfast reaches with ${words.engine}`,
    fix:
      problem.type === "Form"
        ? `Write it as ${problem.form}`
        : `Use ${problem.known.join(":, ")}: or an absolute path on a volume`,
  };
}
