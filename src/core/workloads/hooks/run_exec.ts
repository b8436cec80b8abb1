import { Pods } from "../../../kube/builtin.ts";
import type { PodClient } from "../../../kube/client/pod_client.ts";
import type { Reader } from "../../../kube/client.ts";
import { type Clock, DeadlineExceeded, deadline } from "../../../lib/clock.ts";
import { HttpFailure } from "../../../lib/http.ts";
import { messageOf } from "../../../lib/result.ts";
import { type ChosenPod, chosenPods } from "./chosen_pods.ts";
import type { ExecAction } from "./hook.ts";
import { failed, type HookResult, lastWords } from "./hook_sight.ts";
import { OutputTail } from "./output_tail.ts";
import { selectorText } from "./selector_text.ts";

export interface ExecPorts {
  readonly client: Pick<Reader, "list">;
  readonly pods: Pick<PodClient, "exec">;
  readonly clock: Clock;
}

export interface ExecOrder {
  readonly namespace: string;
  readonly action: ExecAction;
  /** Milliseconds, for all of its pods together. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

const MAY_RUN = ", where it may still run";

/** Runs a command in the pods that it is for, one after the other, up to the first in which it fails. Never rejects. */
export async function runExec(ports: ExecPorts, order: ExecOrder): Promise<HookResult> {
  const { namespace, action, timeout } = order;
  using limit = deadline(ports.clock, timeout, "the command", order.signal);
  const { signal } = limit;
  let at: ChosenPod | undefined;
  const tail = new OutputTail();
  try {
    const labelSelector = selectorText(action.selector);
    const select = { namespace, omitManagedFields: true, ...(labelSelector ? { labelSelector } : {}) };
    const { items } = await ports.client.list(Pods, { ...select, signal });
    const chosen = chosenPods(items, action);
    if (!chosen.ok) return failed(chosen.error);
    for (const pod of chosen.value) {
      at = pod;
      tail.clear();
      const { exitCode } = await ports.pods.exec(pod, {
        container: pod.container,
        command: action.command,
        signal,
        onStdout: (chunk) => tail.add(chunk),
        onStderr: (chunk) => tail.add(chunk),
      });
      if (exitCode !== 0) return failed(`exit code ${exitCode} in ${place(pod)}. ${lastWords(tail.text)}`);
    }
    return { ok: true };
  } catch (error) {
    if (!(signal.reason instanceof DeadlineExceeded)) {
      const where = at ? `in ${place(at)}${mayRun(error) ? MAY_RUN : ""}: ` : "";
      return failed(`${where}${messageOf(error)}`);
    }
    const where = at ? ` in ${place(at)}${MAY_RUN}` : "";
    return failed(`it did not end within ${timeout / 1000} s${where}. ${lastWords(tail.text)}`);
  }
}

/** Whether a command may have begun whose end was not heard. Who was answered otherwise knows that it has not. */
function mayRun(error: unknown): boolean {
  return error instanceof HttpFailure && error.sent && !error.code.startsWith("HTTP");
}

function place({ namespace, name, container }: ChosenPod): string {
  return `container ${container} of pod ${namespace}/${name}`;
}
