import { byteQuantity } from "../../../core/policy/byte_quantity.ts";
import type { RepositoryVolume } from "../../../core/work/run_request.ts";
import type { CredentialSource, RunSecrets, SecretPlace } from "../../../core/work/run_secrets.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { keyOf } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { backendKind } from "../../../wire/backend.ts";
import type { EngineName } from "../../../wire/capabilities.ts";
import type { RateLimits, RepositorySpec } from "../../../wire/work.ts";
import { blocked, type Problem } from "../problem.ts";
import type { AnyRepository } from "../references.ts";
import { repositoryLimits } from "../rules/repository_limits.ts";
import { problemOf } from "../rules/violation.ts";
import type { KopiurSettings } from "../settings.ts";
import { backendOf } from "./backend.ts";
import { type CaBundle, caBundleRef } from "./ca_bundle.ts";
import { credentialItems } from "./credentials.ts";

/** How a run reaches a repository. */
export interface RepositoryAccess {
  readonly engine: EngineName;
  readonly repository: RepositorySpec;
  readonly secrets: RunSecrets;
  readonly repositoryVolume?: RepositoryVolume;
}

export interface AccessRequest {
  /** Where the run is. Secrets of other namespaces are lent to it. */
  readonly namespace: string;
  /** What was found under the name of the certificate authorities, where the repository names some. */
  readonly ca?: CaBundle | undefined;
  readonly settings: KopiurSettings;
}

/** How a run in this namespace reaches the repository; or why it cannot. */
export function accessOf(
  repository: AnyRepository,
  request: AccessRequest,
): Result<RepositoryAccess, Problem> {
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
  const expectedId =
    repository.metadata.annotations?.[ANNOTATIONS.acknowledgeRepository] ?? repository.status?.uniqueID;
  return ok({
    engine: spec.engine,
    repository: {
      backend: backendOf(spec.backend, ca?.text),
      ...(expectedId ? { expectedId } : {}),
      ...limitsOf(spec.rateLimits),
    },
    secrets: secrets.value,
    ...(spec.backend.filesystem ? { repositoryVolume: { claim: spec.backend.filesystem.pvc.name } } : {}),
  });
}

/** A reference to a Secret; a ClusterRepository's says where it is. */
interface SecretRef {
  readonly name: string;
  readonly namespace?: string;
}

function secretsOf(
  { metadata, spec }: AnyRepository,
  { namespace, settings }: AccessRequest,
): Result<RunSecrets, Problem> {
  const place = ({ name, namespace: at = metadata.namespace ?? namespace }: SecretRef): SecretPlace =>
    at === namespace ? { secret: name } : { lent: { namespace: at, name } };
  const { passwordSecretRef: password } = spec.encryption;
  const storage = Object.values(spec.backend)[0] as { readonly auth?: { readonly secretRef?: SecretRef } };
  const ref = storage.auth?.secretRef;
  const items = credentialItems(backendKind(backendOf(spec.backend)));
  const credentials: readonly CredentialSource[] = ref ? [{ ...place(ref), items }] : [];
  const secrets = { password: { ...place(password), key: password.key }, credentials };
  const lent = [secrets.password, ...credentials].find((one) => "lent" in one);
  if (lent && "lent" in lent && !settings.lendSecrets) return err(lendingOff(keyOf(lent.lent), namespace));
  return ok(ref ? secrets : { password: secrets.password });
}

function lendingOff(secret: string, namespace: string): Problem {
  return blocked(
    "LendingOff",
    `A run in namespace ${namespace} needs Secret ${secret}, and the operator may not read Secrets to lend them. Switch lending on in the operator's settings, or use a Repository with Secrets of namespace ${namespace}.`,
  );
}

function limitsOf(given: AnyRepository["spec"]["rateLimits"]): { readonly limits?: RateLimits } {
  const upload = byteQuantity(given?.upload);
  const download = byteQuantity(given?.download);
  if (upload === undefined && download === undefined) return {};
  return {
    limits: { ...(upload === undefined ? {} : { upload }), ...(download === undefined ? {} : { download }) },
  };
}
