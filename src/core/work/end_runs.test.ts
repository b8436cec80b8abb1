import { expect, test } from "vitest";
import type { Writer } from "../../kube/client.ts";
import { endRuns, endRunsOf } from "./end_runs.ts";
import { OWNER_LABEL, ownerLabel, RUN_LABEL } from "./run_labels.ts";
import { samplePod } from "./testing/samples.ts";

function ended() {
  const calls: object[] = [];
  const deleteCollection = (async (_: unknown, options: object) => void calls.push(options)) as never;
  return { calls, writer: { deleteCollection } as Pick<Writer, "deleteCollection"> };
}

test("only runs that have all of the labels are ended, in one namespace", async () => {
  const { calls, writer } = ended();
  await endRuns(writer, "shop", { a: "1", b: "2" });
  expect(calls).toMatchObject([{ namespace: "shop", labelSelector: `${RUN_LABEL},a=1,b=2` }]);
});

test("the runs of an owner are those that carry its label", async () => {
  const { calls, writer } = ended();
  const owner = samplePod();
  await endRunsOf(writer, owner);
  expect(calls).toMatchObject([
    { namespace: "shop", labelSelector: `${RUN_LABEL},${OWNER_LABEL}=${ownerLabel(owner.metadata)}` },
  ]);
});
