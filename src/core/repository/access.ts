import { keyOf } from "../../kube/object.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { backendKind } from "../../wire/backend.ts";
import type { EngineName } from "../../wire/capabilities.ts";
import type { RateLimits, RepositorySpec as WireRepository } from "../../wire/work.ts";
import { byteQuantity } from "../policy/byte_quantity.ts";
import { annotationOf } from "../reconcile/annotations.ts";
import { blocked, type Problem } from "../reconcile/problem.ts";
import { problemOf } from "../reconcile/violation.ts";
import type { RepositoryVolume } from "../work/run_request.ts";
import type { CredentialSource, RunSecrets, SecretPlace } from "../work/run_secrets.ts";
import type { Settings } from "../work/settings.ts";
import { backendOf } from "./backend.ts";
import { type CaBundle, caBundleRef } from "./ca_bundle.ts";
import { credentialItems } from "./credentials.ts";
import { isReadOnly } from "./read_only.ts";
import type { CredentialRef, Repository, RepositorySpec, SecretRef } from "./repository.ts";
import { repositoryLimits } from "./repository_limits.ts";

/** How a run reaches a repository. */
export interface RepositoryAccess {
  readonly engine: EngineName;
  readonly repository: WireRepository;
  readonly secrets: RunSecrets;
  readonly repositoryVolume?: RepositoryVolume;
}

export interface AccessRequest {
  /** Where the run is. Secrets of other namespaces are lent to it. */
  readonly namespace: string;
  /** What was found under the name of the certificate authorities, where the repository names some. */
  readonly ca?: CaBundle | undefined;
  readonly settings: Settings;
}

/** How a run in this namespace reaches the repository; or why it cannot. */
export function accessOf(repository: Repository, request: AccessRequest): Result<RepositoryAccess, Problem> {
  const { spec } = repository;
  const { ca } = request;
  const [limit] = repositoryLimits(spec);
  if (limit) return err(problemOf(limit));
  if (caBundleRef(spec) && ca?.text === undefined) {
    return err(
      blocked("CABundleMissing", ca?.problem ?? "The certificate authorities have not been read yet."),
    );
  }
  const secrets = secretsOf(repository, request);
  if (!secrets.ok) return secrets;
  const expectedId = annotationOf(repository, "acknowledge-repository-change") ?? repository.status?.uniqueID;
  const readOnly = isReadOnly(repository);
  const claim = spec.backend.filesystem?.pvc.name;
  return ok({
    engine: spec.engine,
    repository: {
      backend: backendOf(spec.backend, ca?.text),
      ...(expectedId ? { expectedId } : {}),
      ...(readOnly ? { readOnly } : {}),
      ...limitsOf(spec.rateLimits),
    },
    secrets: secrets.value,
    ...(claim === undefined ? {} : { repositoryVolume: { claim, ...(readOnly ? { readOnly } : {}) } }),
  });
}

/** Why a run in this namespace cannot have the repository's Secrets, where they would have to be lent to it. */
export function lendingProblem(
  repository: Repository,
  request: Pick<AccessRequest, "namespace" | "settings">,
): Problem | undefined {
  const secrets = secretsOf(repository, request);
  return secrets.ok ? undefined : secrets.error;
}

function secretsOf(
  { metadata, spec }: Repository,
  { namespace, settings }: Pick<AccessRequest, "namespace" | "settings">,
): Result<RunSecrets, Problem> {
  const place = ({ name, namespace: at = metadata.namespace ?? namespace }: SecretRef): SecretPlace =>
    at === namespace ? { secret: name } : { lent: { namespace: at, name } };
  const { passwordSecretRef: password } = spec.encryption;
  const storage = Object.values(spec.backend)[0] as {
    readonly auth?: { readonly secretRef?: SecretRef; readonly keys?: readonly CredentialRef[] };
  };
  const { secretRef: ref, keys = [] } = storage.auth ?? {};
  const items = credentialItems(backendKind(backendOf(spec.backend)));
  const credentials: readonly CredentialSource[] = ref
    ? [{ ...place(ref), items }]
    : keys.map(({ key, as, ...secret }) => ({ ...place(secret), items: [{ key, as }] }));
  const secrets = { password: { ...place(password), key: password.key }, credentials };
  const lent = [secrets.password, ...credentials].find((one) => "lent" in one);
  if (lent && "lent" in lent && !settings.lendSecrets) return err(lendingOff(keyOf(lent.lent), namespace));
  return ok(credentials.length > 0 ? secrets : { password: secrets.password });
}

function lendingOff(secret: string, namespace: string): Problem {
  return blocked(
    "LendingOff",
    `A run in namespace ${namespace} needs Secret ${secret}, and the operator may not read Secrets to lend them. Set lendSecrets.enabled=true in the chart's values, or use a repository with Secrets of namespace ${namespace}.`,
  );
}

function limitsOf(given: RepositorySpec["rateLimits"]): { readonly limits?: RateLimits } {
  const upload = byteQuantity(given?.upload);
  const download = byteQuantity(given?.download);
  if (upload === undefined && download === undefined) return {};
  return {
    limits: { ...(upload === undefined ? {} : { upload }), ...(download === undefined ? {} : { download }) },
  };
}
