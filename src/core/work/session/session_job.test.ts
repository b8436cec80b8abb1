import { expect, test } from "vitest";
import { moverJob } from "../mover_job.ts";
import { attemptOf } from "../run_request.ts";
import { sessionJob } from "./session_job.ts";
import { sessionTask } from "./session_request.ts";
import { sampleSession } from "./testing/sample_session.ts";

const run = attemptOf(sessionTask(sampleSession("a"), { mark: "ab12", port: 20_001, idleSeconds: 60 }), 1);

test("a session's Job is a run's, with its keys and a lifetime", () => {
  const plain = moverJob(run);
  const job = sessionJob(run);
  expect(job.metadata).toEqual(plain.metadata);
  expect(job.metadata.labels).toMatchObject({ "holdfast.dev/session": "true", "holdfast.dev/run": run.id });
  expect(job.spec).toMatchObject({ suspend: true, backoffLimit: 0, ttlSecondsAfterFinished: 60 });
  const pod = job.spec?.template.spec;
  const before = plain.spec?.template.spec;
  expect(pod?.volumes).toEqual([
    ...(before?.volumes ?? []),
    { name: "session", secret: { secretName: run.id, defaultMode: 0o444 } },
  ]);
  expect(pod?.containers[0]).toEqual({
    ...before?.containers[0],
    volumeMounts: [
      ...(before?.containers[0]?.volumeMounts ?? []),
      { name: "session", mountPath: "/holdfast/session", readOnly: true },
    ],
  });
  expect(pod?.automountServiceAccountToken).toBe(false);
});
