import type { Pod } from "../../kube/builtin.ts";
import type { PodClient } from "../../kube/client/pod_client.ts";
import type { CallOptions } from "../../kube/client.ts";
import { Failure } from "../../kube/failure.ts";
import { keyOf } from "../../kube/object.ts";
import { type Clock, deadline } from "../../lib/clock.ts";
import { START_COMMAND } from "../../wire/pod_layout.ts";
import { MOVER_CONTAINER } from "./mover_job.ts";

export interface SendStartPorts {
  readonly pods: Pick<PodClient, "exec">;
  readonly clock: Clock;
}

/** How long the command may take, in milliseconds. */
const TIMEOUT = 30_000;

/** Tells the prepared mover of a pod to start. To tell it again, or too early, does no harm. */
export async function sendStart(
  { pods, clock }: SendStartPorts,
  pod: Pod,
  call: CallOptions = {},
): Promise<void> {
  const where = `the mover in pod ${keyOf(pod)}`;
  using limit = deadline(clock, TIMEOUT, `telling ${where} to start`, call.signal);
  const order = { container: MOVER_CONTAINER, command: START_COMMAND, signal: limit.signal };
  const { exitCode, message } = await pods.exec(pod.metadata, order);
  if (exitCode === 0) return;
  throw new Failure(
    "transient",
    "StartSignalFailed",
    `${where} could not be told to start (exit code ${exitCode}): ${message}. It is told again soon. Where that ` +
      "goes on, check that the mover's image is of the operator's release.",
  );
}
