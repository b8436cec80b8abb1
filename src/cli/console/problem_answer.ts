import { isUnauthorized } from "../../kube/api_error.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { explainedError } from "../frame/explained_error.ts";
import { CommandProblem } from "../frame/problem.ts";
import type { Problem } from "./contract.ts";

/** What the page is told of a failure, and with which status. */
export interface ProblemAnswer {
  readonly status: 400 | 401 | 403 | 404 | 409 | 422 | 500 | 502;
  readonly problem: Problem;
}

const STATUS: Readonly<Record<ExitCode, ProblemAnswer["status"]>> = {
  [EXIT.done]: 500,
  [EXIT.failed]: 422,
  [EXIT.usage]: 400,
  [EXIT.notFound]: 404,
  [EXIT.refused]: 403,
  [EXIT.unreachable]: 502,
  [EXIT.notConfirmed]: 409,
  [EXIT.interrupted]: 422,
};

/** Whoever has no session is sent to the sign-in. */
export class SignedOut extends CommandProblem {
  override name = "SignedOut";

  constructor(what = "nobody is signed in", fix = "Sign in.") {
    super(what, { fix, code: EXIT.refused });
  }
}

export function problemAnswer(error: unknown): ProblemAnswer {
  const explained = explainedError(error);
  const { message, why, fix, code, cause } = explained;
  const known = error instanceof SignedOut || isUnauthorized(cause) || isUnauthorized(error);
  return {
    status: known ? 401 : STATUS[code],
    problem: { message, ...(why ? { why } : {}), ...(fix ? { fix } : {}) },
  };
}
