import { byteQuantity } from "../../../core/policy/byte_quantity.ts";
import type { RepositoryVolume } from "../../../core/work/run_request.ts";
import type { RunSecrets } from "../../../core/work/run_secrets.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Repository } from "../../../kinds/kopiur/generated/repository.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { backendKind } from "../../../wire/backend.ts";
import { CAPABILITIES, type EngineName } from "../../../wire/capabilities.ts";
import type { RateLimits, RepositorySpec } from "../../../wire/work.ts";
import { blocked, type Problem, refused } from "../problem.ts";
import { backendOf } from "./backend.ts";
import { type CaBundle, caBundleRef } from "./ca_bundle.ts";
import { credentialItems } from "./credentials.ts";

/** How a run in the repository's own namespace reaches it. */
export interface RepositoryAccess {
  readonly engine: EngineName;
  readonly repository: RepositorySpec;
  readonly secrets: RunSecrets;
  readonly repositoryVolume?: RepositoryVolume;
}

/** `ca` is what was found under the name of the certificate authorities, where the repository names some. */
export function accessOf(repository: Repository, ca?: CaBundle): Result<RepositoryAccess, Problem> {
  const { spec } = repository;
  const storage = Object.values(spec.backend)[0] as { readonly auth?: Auth };
  if (storage.auth?.workloadIdentity) return err(WORKLOAD_IDENTITY);
  if (caBundleRef(spec) && ca?.text === undefined) {
    return err(
      blocked("CABundleMissing", ca?.problem ?? "The certificate authorities have not been read yet."),
    );
  }
  const backend = backendOf(spec.backend, ca?.text);
  const kind = backendKind(backend);
  if (!CAPABILITIES[spec.engine].backends.includes(kind)) {
    return err(
      refused("Unsupported", `${spec.engine} cannot use the backend ${kind}. Use another backend or engine.`),
    );
  }
  const expectedId =
    repository.metadata.annotations?.[ANNOTATIONS.acknowledgeRepository] ?? repository.status?.uniqueID;
  const { name: secret, key } = spec.encryption.passwordSecretRef;
  const credentials = storage.auth?.secretRef?.name;
  return ok({
    engine: spec.engine,
    repository: {
      backend,
      ...(expectedId ? { expectedId } : {}),
      ...limitsOf(spec.rateLimits),
    },
    secrets: {
      password: { secret, key },
      ...(credentials ? { credentials: [{ secret: credentials, items: credentialItems(kind) }] } : {}),
    },
    ...(spec.backend.filesystem ? { repositoryVolume: { claim: spec.backend.filesystem.pvc.name } } : {}),
  });
}

interface Auth {
  readonly secretRef?: { readonly name: string };
  readonly workloadIdentity?: unknown;
}

const WORKLOAD_IDENTITY = refused(
  "WorkloadIdentityUnsupported",
  "The cloud's own identity of a ServiceAccount cannot be used yet. Use auth.secretRef with a Secret of access keys.",
);

function limitsOf(given: Repository["spec"]["rateLimits"]): { readonly limits?: RateLimits } {
  const upload = byteQuantity(given?.upload);
  const download = byteQuantity(given?.download);
  if (upload === undefined && download === undefined) return {};
  return {
    limits: { ...(upload === undefined ? {} : { upload }), ...(download === undefined ? {} : { download }) },
  };
}
