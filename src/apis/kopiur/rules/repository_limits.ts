import type { RepositorySpec } from "../../../kinds/kopiur/generated/repository.ts";
import type { BackendSpec, ClusterBackendSpec } from "../../../kinds/kopiur/parts.ts";
import { CAPABILITIES, type Capabilities } from "../../../wire/capabilities.ts";
import type { Violation } from "./violation.ts";

/** What the two kinds of repositories have in common, as far as engines care. */
export interface EngineSettings extends Pick<RepositorySpec, "engine" | "create"> {
  readonly backend: BackendSpec | ClusterBackendSpec;
}

interface Storage {
  readonly auth?: { readonly workloadIdentity?: unknown };
  readonly tls?: { readonly insecureSkipVerify?: boolean };
}

/** What a repository asks for that cannot be done. */
export function repositoryLimits(spec: EngineSettings): readonly Violation[] {
  const violations = [
    ...[workloadIdentity(spec), backend(spec), addressing(spec), azureEndpoint(spec), unchecked(spec)],
    ...CREATION.map((one) => creation(spec, one)),
  ];
  return violations.filter((violation) => violation !== undefined);
}

function workloadIdentity({ backend }: EngineSettings): Violation | undefined {
  const [name = "", storage] = Object.entries(backend)[0] ?? [];
  if (!(storage as Storage | undefined)?.auth?.workloadIdentity) return undefined;
  return {
    reason: "WorkloadIdentityUnsupported",
    field: `spec.backend.${name}.auth.workloadIdentity`,
    what: "the cloud's own identity of a ServiceAccount cannot be used yet",
    why: "movers have no token of a ServiceAccount",
    fix: "Use auth.secretRef with a Secret of access keys",
  };
}

function backend({ engine, backend }: EngineSettings): Violation | undefined {
  const name = Object.keys(backend)[0] ?? "";
  if ((CAPABILITIES[engine].backends as readonly string[]).includes(name.toLowerCase())) return undefined;
  return {
    reason: "Unsupported",
    field: `spec.backend.${name}`,
    what: `${engine} cannot use the backend ${name}`,
    why: "it does not speak to that kind of storage",
    fix: "Use another backend, or engine kopia",
  };
}

function addressing({ engine, backend: { s3 } }: EngineSettings): Violation | undefined {
  if (s3 === undefined || s3.addressing === "Auto" || CAPABILITIES[engine].s3Addressing) return undefined;
  const atAmazon = s3.endpoint === undefined;
  if ((s3.addressing === "Host") === atAmazon) return undefined;
  return {
    reason: "Unsupported",
    field: "spec.backend.s3.addressing",
    what: `${engine} cannot name the bucket in the ${atAmazon ? "path" : "host name"}`,
    why: "it does so in the host name at Amazon, and in the path everywhere else",
    fix: "Leave addressing out, or use engine restic",
  };
}

function azureEndpoint({ engine, backend: { azure } }: EngineSettings): Violation | undefined {
  if (!azure?.endpoint?.includes("//") || CAPABILITIES[engine].azureUrl) return undefined;
  return {
    reason: "Unsupported",
    field: "spec.backend.azure.endpoint",
    what: `${engine} cannot use the endpoint ${azure.endpoint}`,
    why: "it takes the suffix of a host name, and no URL",
    fix: "Give the suffix alone, such as blob.core.windows.net, or use engine kopia",
  };
}

function unchecked({ engine, backend }: EngineSettings): Violation | undefined {
  const [name = "", storage] = Object.entries(backend)[0] ?? [];
  if (!(storage as Storage | undefined)?.tls?.insecureSkipVerify) return undefined;
  const { backends, unchecked } = CAPABILITIES[engine];
  const isOne = (kinds: readonly string[]) => kinds.includes(name.toLowerCase());
  if (isOne(unchecked) || !isOne(backends)) return undefined;
  return {
    reason: "Unsupported",
    field: `spec.backend.${name}.tls.insecureSkipVerify`,
    what: `${engine} cannot accept any certificate with the backend ${name}`,
    why: "it always checks them there",
    fix: "Trust the authority that signed the server's, with tls.caBundleRef",
  };
}

const CREATION: readonly {
  readonly field: "encryption" | "splitter" | "hash";
  readonly of: keyof Capabilities;
}[] = [
  { field: "encryption", of: "encryptions" },
  { field: "splitter", of: "splitters" },
  { field: "hash", of: "hashes" },
];

function creation(
  { engine, create }: EngineSettings,
  { field, of }: (typeof CREATION)[number],
): Violation | undefined {
  const chosen = create[field];
  const choices = CAPABILITIES[engine][of] as readonly string[];
  if (chosen === undefined || choices.includes(chosen)) return undefined;
  return {
    reason: "Unsupported",
    field: `spec.create.${field}`,
    what: `${engine} cannot create a repository with ${field} ${chosen}`,
    why: choices.length === 0 ? "it offers no choice there" : `it offers ${choices.join(", ")}`,
    fix: `Leave create.${field} out, or use engine kopia`,
  };
}
