import type { Job } from "../../../kube/builtin.ts";
import type { Draft } from "../../../kube/object.ts";
import { moverJob } from "../mover_job.ts";
import type { RunRequest } from "../run_request.ts";
import { KEYS_FOLDER } from "./session_request.ts";

/** A session's Job goes by itself this long after its end, also when no operator is there to remove it. */
const TTL_SECONDS = 60;
const VOLUME = "session";

/** The Job of a run that is a session: it also mounts the Secret of its own name, with the session's keys. */
export function sessionJob(request: RunRequest): Draft<Job> {
  const job = moverJob(request);
  const template = job.spec?.template;
  const pod = template?.spec;
  if (!pod) throw new TypeError("a mover's Job has a pod");
  const keys = { name: VOLUME, secret: { secretName: request.id, defaultMode: 0o444 } };
  const mount = { name: VOLUME, mountPath: KEYS_FOLDER, readOnly: true };
  const containers = pod.containers.map((container) => ({
    ...container,
    volumeMounts: [...(container.volumeMounts ?? []), mount],
  }));
  return {
    ...job,
    spec: {
      ...job.spec,
      ttlSecondsAfterFinished: TTL_SECONDS,
      template: { ...template, spec: { ...pod, containers, volumes: [...(pod.volumes ?? []), keys] } },
    },
  };
}
