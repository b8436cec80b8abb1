import { Jobs } from "../../kube/builtin.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { ownerReference } from "../../kube/write/owners.ts";
import { ok, type Result } from "../../lib/result.ts";
import type { Work } from "../../wire/work.ts";
import { privilegeAnnotation } from "../consent/privileges.ts";
import type { Problem } from "../reconcile/problem.ts";
import type { RunTask, RunVolume } from "../work/run_request.ts";
import type { Settings } from "../work/settings.ts";
import { accessOf } from "./access.ts";
import type { CaBundle } from "./ca_bundle.ts";
import { type Mover, type MoverRequest, moverFor } from "./mover.ts";
import type { Repository } from "./repository.ts";

/** What every run needs to know of the repository that it works on. */
export interface RunContext<R extends Repository = Repository> {
  readonly repository: R;
  /** Where the run is to be: the owner's namespace, or the operator's for an owner that has none. */
  readonly namespace: string;
  /** What was found under the name of the certificate authorities, where the repository names some. */
  readonly ca?: CaBundle | undefined;
  readonly settings: Settings;
  /** The namespace lets movers have privileges. */
  readonly consent: boolean;
  /** Of the movers on this repository. Default: that of the settings. */
  readonly image?: string | undefined;
}

export interface TaskRequest<T extends KubeObject>
  extends RunContext,
    Pick<MoverRequest, "mover" | "runAs" | "inherited"> {
  /** Whose work it is. */
  readonly owner: { readonly resource: Resource<T>; readonly object: T };
  readonly purpose: string;
  /** The ID that the repository had when the work was decided on. Default: as the repository itself knows it. */
  readonly expectedId?: string | undefined;
  /** Counted from the mover's start, where the work has no deadline of its own. */
  readonly deadlineSeconds?: number;
}

/** What is to be done, and on which volumes. */
export interface Assignment {
  readonly work: Work;
  /** What later attempts do, where the first may have left something behind. */
  readonly workAgain?: Work;
  readonly volumes?: readonly RunVolume[];
}

/** A run on a repository; or why there can be none. */
export function taskFor<T extends KubeObject>(
  request: TaskRequest<T>,
  assign: (mover: Mover) => Assignment,
): Result<RunTask, Problem> {
  const { owner, purpose, repository, namespace, expectedId, deadlineSeconds } = request;
  const access = accessOf(repository, request);
  if (!access.ok) return access;
  const mover = moverFor({
    ...request,
    repository: repository.spec,
    annotation: privilegeAnnotation(repository),
  });
  if (!mover.ok) return mover;
  const { engine, secrets, repositoryVolume } = access.value;
  const { settings, cache } = mover.value;
  const { work, workAgain, volumes } = assign(mover.value);
  const place = {
    engine,
    repository: {
      ...access.value.repository,
      ...(expectedId ? { expectedId } : {}),
      ...(cache ? { cache } : {}),
    },
    ...(deadlineSeconds === undefined ? {} : { deadlineSeconds }),
  };
  return ok({
    purpose,
    namespace,
    pool: repository.metadata.uid,
    owner: ownerReference({ owner, dependent: { resource: Jobs, namespace }, blockOwnerDeletion: false }),
    work: { ...place, work },
    ...(workAgain ? { workAgain: { ...place, work: workAgain } } : {}),
    secrets,
    ...(volumes ? { volumes } : {}),
    ...(repositoryVolume ? { repositoryVolume } : {}),
    mover: settings,
  });
}
