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
}

/** What a repository asks for that cannot be done. */
export function repositoryLimits(spec: EngineSettings): readonly Violation[] {
  const violations = [workloadIdentity(spec), backend(spec), ...CREATION.map((one) => creation(spec, one))];
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
