import type { RunSecrets } from "../../../core/work/run_secrets.ts";
import type { OwnSecrets, SessionRequest } from "../../../core/work/session/session_request.ts";
import { clusterRepositoryResource } from "../../../kinds/kopiur/generated/cluster_repository.ts";
import { repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { groundOf } from "../ground.ts";
import type { KopiurPorts } from "../ports.ts";
import { blocked, type Problem } from "../problem.ts";
import { type AnyRepository, isOfCluster } from "../references.ts";
import { type Ground, taskFor } from "../task.ts";

/** What a session with this repository needs: the same access as a run has, where its Secret is. */
export async function sessionRequestOf(
  ports: KopiurPorts,
  repository: AnyRepository,
  signal: AbortSignal,
): Promise<Result<SessionRequest, Problem>> {
  const namespace = secretsNamespace(repository);
  return sessionRequestOn(await groundOf(ports, repository, namespace, signal));
}

/** The same, where somebody has looked already at what a run needs to know. */
export function sessionRequestOn(ground: Ground): Result<SessionRequest, Problem> {
  const { repository, namespace } = ground;
  const resource: Resource = isOfCluster(repository) ? clusterRepositoryResource : repositoryResource;
  const owner = { resource, object: repository as KubeObject };
  const task = taskFor({ ...ground, owner, purpose: "session" }, () => ({ work: { init: {} } }));
  if (!task.ok) return task;
  const { work, secrets: found, repositoryVolume, mover, owner: reference } = task.value;
  const secrets = ownSecrets(found);
  if (!secrets) {
    return err(
      blocked(
        "SecretsApart",
        `Questions to the repository are asked in namespace ${namespace}, where its password is, and its other credentials are in another one. Put both Secrets into one namespace.`,
      ),
    );
  }
  const { engine, repository: place } = work;
  const base = { owner: reference, namespace, engine, repository: place, secrets, mover };
  return ok({ ...base, ...(repositoryVolume ? { repositoryVolume } : {}) });
}

/** Where a repository's password is. */
export function secretsNamespace(repository: AnyRepository): string {
  return isOfCluster(repository)
    ? repository.spec.encryption.passwordSecretRef.namespace
    : (repository.metadata.namespace ?? "");
}

function ownSecrets({ password, credentials }: RunSecrets): OwnSecrets | undefined {
  if ("lent" in password) return undefined;
  if (credentials === undefined) return { password };
  const own = credentials.flatMap((source) => ("lent" in source ? [] : [source]));
  return own.length === credentials.length ? { password, credentials: own } : undefined;
}
