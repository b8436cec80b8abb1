import { expect, test } from "vitest";
import { ApiError } from "../../kube/api_error.ts";
import { RecordingClient } from "../../kube/testing/recording_client.ts";
import { backup } from "../testing/samples.ts";
import { moverTrial, tryJob } from "./trial_jobs.ts";

const settings = { moverImage: "holdfast/mover:1" };
const mover = { tolerations: [{ operator: "Sometimes" }] };
const trial = {
  object: backup(),
  engine: "kopia",
  namespace: "billing",
  at: "spec.mover",
  mover,
  old: undefined,
  settings,
} as const;
const [job] = moverTrial(trial);
if (!job) throw new Error("there is nothing to try");

function answering(code: number, message: string, causes: { field: string; message: string }[] = []) {
  const status = { code, message, details: { causes } };
  return new RecordingClient(() => Promise.reject(new ApiError({ request: "POST", code, status })));
}

test("the Job is only tried, and strictly", async () => {
  const client = new RecordingClient(() => ({}));
  expect(await tryJob(client, job, {})).toEqual([]);
  expect(client.calls).toMatchObject([
    {
      resource: { kind: "Job" },
      body: { metadata: { namespace: "billing" }, spec: { suspend: true } },
      options: { dryRun: true, fieldValidation: "Strict" },
    },
  ]);
});

test("what is wrong is told by the fields of the object", async () => {
  const field = "spec.template.spec.tolerations[0].operator";
  const client = answering(422, "invalid", [{ field, message: 'Unsupported value: "Sometimes"' }]);
  expect(await tryJob(client, job, {})).toEqual([
    {
      refuse: {
        reason: "InvalidPod",
        field: "spec.mover.tolerations[0].operator",
        what: "no pod can be made from it",
        why: 'Unsupported value: "Sometimes"',
        fix: "Write it as Kubernetes has it in a pod",
      },
    },
  ]);
});

test("what cannot even be read is told in the server's words", async () => {
  const said = 'strict decoding error: unknown field "spec.template.spec.containers[0].securityContext.x"';
  expect(await tryJob(answering(400, said), job, {})).toMatchObject([
    {
      refuse: {
        field: "spec.mover",
        why: 'strict decoding error: unknown field "spec.mover.securityContext.x"',
      },
    },
  ]);
});

test("a server that has other reasons to say no leaves it at a warning", async () => {
  expect(await tryJob(answering(403, "exceeded quota"), job, {})).toEqual([
    { warn: "spec.mover: it could not be tried out: POST: exceeded quota" },
  ]);
});

test("what was taken once is not tried again, nor what says nothing of the kind", () => {
  expect(moverTrial({ ...trial, old: mover })).toEqual([]);
  expect(moverTrial({ ...trial, mover: { privilegedMode: true } })).toEqual([]);
  expect(moverTrial({ ...trial, mover: undefined })).toEqual([]);
});
