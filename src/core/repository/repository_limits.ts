import { CAPABILITIES, type Capabilities } from "../../wire/capabilities.ts";
import type { Violation } from "../reconcile/violation.ts";
import { bucketNameProblem, hasBuckets } from "./bucket_name.ts";
import type { RepositorySpec } from "./repository.ts";

/** What engines care about. */
export type EngineSettings = Pick<RepositorySpec, "engine" | "create" | "backend">;

interface Storage {
  readonly auth?: { readonly workloadIdentity?: unknown };
  readonly tls?: { readonly insecureSkipVerify?: boolean };
}

/** What a repository asks for that cannot be done. `at`: what stands before the names of fields, in its object. */
export function repositoryLimits(spec: EngineSettings, at = ""): readonly Violation[] {
  const violations = [
    ...[
      bucketName(spec),
      workloadIdentity(spec),
      backend(spec),
      addressing(spec),
      azureEndpoint(spec),
      unchecked(spec),
    ],
    ...CREATION.map((one) => creation(spec, one)),
  ];
  return violations.flatMap((one) => (one ? [{ ...one, field: at + one.field }] : []));
}

function has(names: readonly string[], name: string): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase());
}

/** The engines that can do something, in words. */
export function enginesThat(can: (capabilities: Capabilities) => boolean): string {
  const able = Object.entries(CAPABILITIES).filter(([, capabilities]) => can(capabilities));
  return able.map(([engine]) => engine).join(" or ") || "of another kind";
}

function bucketName({ backend }: EngineSettings): Violation | undefined {
  const [name = "", storage] = Object.entries(backend)[0] ?? [];
  if (!hasBuckets(name)) return undefined;
  const field = name === "azure" ? "container" : "bucket";
  const chosen = (storage as Readonly<Record<string, unknown>>)[field];
  const why = typeof chosen === "string" ? bucketNameProblem(name, chosen) : undefined;
  if (why === undefined) return undefined;
  return {
    reason: "BucketNameInvalid",
    field: `backend.${name}.${field}`,
    what: `there can be no ${field} ${chosen}`,
    why,
    fix: `Correct the name of the ${field}`,
  };
}

function workloadIdentity({ backend }: EngineSettings): Violation | undefined {
  const [name = "", storage] = Object.entries(backend)[0] ?? [];
  if (!(storage as Storage | undefined)?.auth?.workloadIdentity) return undefined;
  return {
    reason: "WorkloadIdentityUnsupported",
    field: `backend.${name}.auth.workloadIdentity`,
    what: "the cloud's own identity of a ServiceAccount cannot be used yet",
    why: "movers have no token of a ServiceAccount",
    fix: "Use auth.secretRef with a Secret of access keys",
  };
}

function backend({ engine, backend }: EngineSettings): Violation | undefined {
  const name = Object.keys(backend)[0] ?? "";
  if (has(CAPABILITIES[engine].backends, name)) return undefined;
  return {
    reason: "Unsupported",
    field: `backend.${name}`,
    what: `${engine} cannot use the backend ${name}`,
    why: "it does not speak to that kind of storage",
    fix: `Use another backend, or engine ${enginesThat(({ backends }) => has(backends, name))}`,
  };
}

function addressing({ engine, backend: { s3 } }: EngineSettings): Violation | undefined {
  if (s3 === undefined || s3.addressing === "Auto" || CAPABILITIES[engine].s3Addressing) return undefined;
  const atAmazon = s3.endpoint === undefined;
  if ((s3.addressing === "Host") === atAmazon) return undefined;
  return {
    reason: "Unsupported",
    field: "backend.s3.addressing",
    what: `${engine} cannot name the bucket in the ${atAmazon ? "path" : "host name"}`,
    why: "it does so in the host name at Amazon, and in the path everywhere else",
    fix: `Leave addressing out, or use engine ${enginesThat(({ s3Addressing }) => s3Addressing)}`,
  };
}

function azureEndpoint({ engine, backend: { azure } }: EngineSettings): Violation | undefined {
  if (!azure?.endpoint?.includes("//") || CAPABILITIES[engine].azureUrl) return undefined;
  return {
    reason: "Unsupported",
    field: "backend.azure.endpoint",
    what: `${engine} cannot use the endpoint ${azure.endpoint}`,
    why: "it takes the suffix of a host name, and no URL",
    fix: `Give the suffix alone, such as blob.core.windows.net, or use engine ${enginesThat(({ azureUrl }) => azureUrl)}`,
  };
}

function unchecked({ engine, backend }: EngineSettings): Violation | undefined {
  const [name = "", storage] = Object.entries(backend)[0] ?? [];
  if (!(storage as Storage | undefined)?.tls?.insecureSkipVerify) return undefined;
  const { backends, unchecked } = CAPABILITIES[engine];
  if (has(unchecked, name) || !has(backends, name)) return undefined;
  return {
    reason: "Unsupported",
    field: `backend.${name}.tls.insecureSkipVerify`,
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
    field: `create.${field}`,
    what: `${engine} cannot create a repository with ${field} ${chosen}`,
    why: choices.length === 0 ? "it offers no choice there" : `it offers ${choices.join(", ")}`,
    fix: `Leave create.${field} out, or use engine ${enginesThat((one) => has(one[of] as readonly string[], chosen))}`,
  };
}
