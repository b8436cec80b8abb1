import type { Resource } from "../../kube/resource.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { blocked, type Problem } from "../reconcile/problem.ts";
import type { RunSecrets } from "../work/run_secrets.ts";
import type { OwnSecrets, SessionRequest } from "../work/session/session_request.ts";
import type { Repository } from "./repository.ts";
import { type RunContext, taskFor } from "./task_for.ts";

/** What a session with a repository needs: the same access as a run has, in the namespace of `secretsNamespace`. */
export function sessionRequestOn(context: RunContext, resource: Resource): Result<SessionRequest, Problem> {
  const { repository, namespace } = context;
  const owner = { resource, object: repository };
  const task = taskFor({ ...context, owner, purpose: "session" }, () => ({ work: { init: {} } }));
  if (!task.ok) return task;
  const { work, secrets: found, repositoryVolume, mover, owner: reference } = task.value;
  const secrets = ownSecrets(found);
  if (!secrets) {
    return err(
      blocked(
        "CredentialsSplitAcrossNamespaces",
        `Questions to the repository are asked in namespace ${namespace}, where its password is, and its other credentials are in another one. Put both Secrets into one namespace.`,
      ),
    );
  }
  const { engine, repository: place } = work;
  const base = { owner: reference, namespace, engine, repository: place, secrets, mover };
  return ok({ ...base, ...(repositoryVolume ? { repositoryVolume } : {}) });
}

/** Where a repository's password is. */
export function secretsNamespace({ metadata, spec }: Repository): string {
  return metadata.namespace ?? spec.encryption.passwordSecretRef.namespace ?? "";
}

function ownSecrets({ password, credentials }: RunSecrets): OwnSecrets | undefined {
  if ("lent" in password) return undefined;
  if (credentials === undefined) return { password };
  const own = credentials.flatMap((source) => ("lent" in source ? [] : [source]));
  return own.length === credentials.length ? { password, credentials: own } : undefined;
}
