import { posix } from "node:path";
import type { ResourceRequirements } from "kubernetes-types/core/v1.d.ts";
import type { OwnerReference } from "../../../kube/object.ts";
import type { EngineName } from "../../../wire/capabilities.ts";
import { POD_LAYOUT } from "../../../wire/pod_layout.ts";
import type { RepositorySpec } from "../../../wire/work.ts";
import type { MoverSettings } from "../mover_settings.ts";
import type { RepositoryVolume, RunTask } from "../run_request.ts";
import type { CredentialSource, RepositorySecrets } from "../run_secrets.ts";

/** A repository that somebody has questions about. */
export interface SessionRequest {
  /** The repository's object, in the same namespace or without one. It has one session at most, which goes with it. */
  readonly owner: OwnerReference;
  /** The one that holds the repository's Secret. */
  readonly namespace: string;
  readonly engine: EngineName;
  readonly repository: RepositorySpec;
  readonly secrets: OwnSecrets;
  /** Mounted read-only. */
  readonly repositoryVolume?: RepositoryVolume;
  /** Without a memory limit of its own, a session gets one. */
  readonly mover: MoverSettings;
}

/** Secrets of the session's own namespace: it runs where they are, and so nothing is lent to it. */
export interface OwnSecrets {
  readonly password: Extract<RepositorySecrets["password"], { readonly secret: string }>;
  readonly credentials?: readonly Extract<CredentialSource, { readonly secret: string }>[];
}

/** What is chosen for one session. */
export interface SessionChoices {
  /** Tells the sessions of one repository apart: none has the name of an earlier one. */
  readonly mark: string;
  readonly port: number;
  readonly idleSeconds: number;
}

/** On the Job and the pod of a session. Whatever has it and is not known to the running operator is left over. */
export const SESSION_LABEL = "holdfast.dev/session";

/** Where the mover finds the keys of its session. */
export const KEYS_FOLDER = posix.join(posix.dirname(POD_LAYOUT.repository), "session");

/** A session holds nothing that takes time to clean up. */
const GRACE_SECONDS = 10;
/** Half a dozen engines at once, each with a small cache. */
const MEMORY = { request: "128Mi", limit: "1Gi" };

/** The run that a session is. */
export function sessionTask(request: SessionRequest, { mark, port, idleSeconds }: SessionChoices): RunTask {
  const { owner, namespace, engine, repository, secrets, repositoryVolume, mover } = request;
  const listen = { tls: { port, folder: KEYS_FOLDER } };
  return {
    purpose: `session-${mark}`,
    namespace,
    owner,
    labels: { [SESSION_LABEL]: "true" },
    work: {
      engine,
      repository: { ...repository, readOnly: true },
      work: { session: { listen, idleSeconds } },
    },
    secrets,
    ...(repositoryVolume ? { repositoryVolume: { ...repositoryVolume, readOnly: true } } : {}),
    mover: {
      terminationGracePeriodSeconds: GRACE_SECONDS,
      ...mover,
      resources: bounded(mover.resources),
    },
  };
}

function bounded(resources: ResourceRequirements = {}): ResourceRequirements {
  const { limits = {}, requests = {} } = resources;
  if (limits.memory !== undefined) return resources;
  return {
    ...resources,
    limits: { ...limits, memory: MEMORY.limit },
    // Without one, the limit would be reserved on the node.
    requests: { memory: MEMORY.request, ...requests },
  };
}
