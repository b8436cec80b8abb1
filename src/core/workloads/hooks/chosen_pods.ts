import type { Pod } from "../../../kube/builtin.ts";
import { keyOf } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { ExecAction } from "./hook.ts";
import { selectorText } from "./selector_text.ts";

/** A pod, and the container of it, in which a command is to be run. */
export interface ChosenPod {
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
}

/** The pods in which a command is run, in order, out of those that match; or why there are none. */
export function chosenPods(pods: readonly Pod[], action: ExecAction): Result<readonly ChosenPod[], string> {
  const { selector, container } = action;
  if (pods.length === 0) {
    return err(
      `no pod matches ${selectorText(selector) || "any labels"}. Start the workload, or correct its selector.`,
    );
  }
  const ready = pods.filter(isReady).toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  if (ready.length === 0) {
    const names = pods.slice(0, 3).map(keyOf).join(", ");
    return err(`none of the pods that match is ready: ${names}. Look why, or correct its selector.`);
  }
  const chosen = action.pods === "All" ? ready : ready.slice(0, 1);
  const named: ChosenPod[] = [];
  for (const pod of chosen) {
    const names = (pod.spec?.containers ?? []).map(({ name }) => name);
    const wanted = container ?? names[0] ?? "";
    if (!names.includes(wanted)) {
      return err(`pod ${keyOf(pod)} has no container ${wanted}. Name one of ${names.join(", ")}.`);
    }
    named.push({ namespace: pod.metadata.namespace ?? "", name: pod.metadata.name, container: wanted });
  }
  return ok(named);
}

function isReady({ metadata, status }: Pod): boolean {
  if (status?.phase !== "Running" || metadata.deletionTimestamp) return false;
  return status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}
