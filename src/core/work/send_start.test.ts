import { expect, test } from "vitest";
import type { ExecOptions } from "../../kube/client/pod_client.ts";
import type { ObjectName } from "../../kube/object.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { sendStart } from "./send_start.ts";
import { runningPod } from "./testing/samples.ts";

const clock = new VirtualClock();
const pod = runningPod();

function answering(exitCode: number, message = "") {
  const calls: unknown[] = [];
  const exec = async ({ name }: ObjectName, { container, command }: ExecOptions) => {
    calls.push({ name, container, command });
    return { exitCode, message };
  };
  return { calls, pods: { exec } };
}

test("runs the mover's program in the mover's container", async () => {
  const { pods, calls } = answering(0);
  await sendStart({ pods, clock }, pod);
  const command = ["/usr/local/bin/node", "/usr/local/lib/holdfast/mover.mjs", "start"];
  expect(calls).toEqual([{ name: pod.metadata.name, container: "mover", command }]);
  expect(clock.pendingTimers).toBe(0);
});

test("fails when the program does, and is tried again soon", async () => {
  const { pods } = answering(126, "no such file");
  await expect(sendStart({ pods, clock }, pod)).rejects.toMatchObject({
    class: "transient",
    reason: "StartSignalFailed",
    message: expect.stringContaining("(exit code 126): no such file"),
  });
});
