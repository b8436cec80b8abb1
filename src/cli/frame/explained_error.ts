import { ApiError, isAlreadyExists, isForbidden, isUnauthorized } from "../../kube/api_error.ts";
import { KubeconfigError } from "../../kube/config/kubeconfig.ts";
import { DeadlineExceeded } from "../../lib/clock.ts";
import { HttpFailure, UpgradeRefused } from "../../lib/http.ts";
import { messageOf } from "../../lib/result.ts";
import { EngineError } from "../../wire/engine_error.ts";
import { EXIT } from "./exit_codes.ts";
import { CommandProblem } from "./problem.ts";

/** Whatever was thrown, as what a person is told. */
export function explainedError(error: unknown): CommandProblem {
  if (error instanceof CommandProblem) return error;
  const answer = answerIn(error);
  if (answer) return refused(answer);
  if (error instanceof EngineError) return failedEngine(error);
  if (error instanceof KubeconfigError) {
    return new CommandProblem("cannot load the kubeconfig", {
      why: error.message,
      fix: "Name a kubeconfig with --kubeconfig or KUBECONFIG, and a context of it with --context.",
      code: EXIT.unreachable,
      cause: error,
    });
  }
  if (error instanceof HttpFailure || error instanceof DeadlineExceeded) {
    return new CommandProblem("the API server does not answer", {
      why: error.message,
      fix: "Check that the cluster runs, and that this is the right context (--context, --kubeconfig).",
      code: EXIT.unreachable,
      cause: error,
    });
  }
  return new CommandProblem(messageOf(error), { cause: error });
}

/** What an engine, or the session that asks it, says went wrong. */
function failedEngine(error: EngineError): CommandProblem {
  const missing = error.class === "PathMissing" || error.class === "SnapshotMissing";
  return new CommandProblem(error.message, {
    why: error.detail,
    fix: error.remedy,
    code: missing ? EXIT.notFound : EXIT.failed,
    cause: error,
  });
}

/** The API server's answer, also where that it lets nobody into a pod is the cause of what was thrown. */
function answerIn(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof UpgradeRefused && (cause.status === 401 || cause.status === 403))
      return noEntry(cause);
  return undefined;
}

function noEntry({ status: code, message }: UpgradeRefused): ApiError {
  const reason = code === 403 ? "Forbidden" : "Unauthorized";
  return new ApiError({ request: "exec", code, status: { reason, message } });
}

function refused(error: ApiError): CommandProblem {
  const { said: why } = error;
  if (isUnauthorized(error)) {
    return new CommandProblem("Unauthorized", {
      why,
      fix: "Log in again, or choose another context.",
      code: EXIT.refused,
      cause: error,
    });
  }
  const denied = /^admission webhook "[^"]+" denied the request: (.+)$/s.exec(why)?.[1];
  if (denied !== undefined)
    return new CommandProblem("the cluster refuses it", { why: denied, code: EXIT.refused, cause: error });
  if (isForbidden(error)) {
    return new CommandProblem("you may not do that", {
      why,
      fix: "Ask for the right that is named, or look at one namespace (-n) instead of all.",
      code: EXIT.refused,
      cause: error,
    });
  }
  if (error.code === 404) {
    const served = error.reason === "NotFound" && !/could not find the requested resource/.test(why);
    return new CommandProblem(served ? why : "this cluster does not have the kinds of Holdfast", {
      ...(served
        ? { fix: "Check the name and the namespace (-n): holdfast list shows what there is." }
        : { why, fix: "Install Holdfast, or choose another context." }),
      code: EXIT.notFound,
      cause: error,
    });
  }
  if (isAlreadyExists(error)) {
    return new CommandProblem(why, {
      fix: "Choose another name, or look at the one that is there with holdfast explain.",
      code: EXIT.usage,
      cause: error,
    });
  }
  return new CommandProblem("the API server refused", { why, code: EXIT.refused, cause: error });
}
