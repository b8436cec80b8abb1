import type { Clock } from "../../lib/clock.ts";
import { sha256 } from "../../lib/hash.ts";
import type { Random } from "../../lib/random.ts";
import type { ReconcileObserver, RunEndObserver } from "../observers.ts";
import type { Attributes, Span } from "./otlp_json.ts";

type Take = (span: Span) => void;

/** Results of a reconcile that somebody has to look at. */
const ERRORS = ["transient", "structural", "terminal"];

/** Each reconcile is a trace of its own. */
export function reconcileSpans(clock: Clock, random: Random, take: Take): ReconcileObserver {
  return {
    reconciled(controller, result, durationMs, key) {
      const end = clock.now();
      take({
        trace: random.hex(16),
        id: random.hex(8),
        name: `reconcile ${controller}`,
        start: end - durationMs,
        end,
        attributes: { controller, key, result },
        ...(ERRORS.includes(result) ? { error: result } : {}),
      });
    },
  };
}

/**
 * A run is one trace: from the operator's pod that was made for it, to the mover's end. Told by the operator for both, so
 * that movers need neither a way to the collector nor its credentials.
 */
export function runSpans(clock: Clock, take: Take): RunEndObserver {
  return {
    runEnded({ operation, result, run }) {
      const { namespace, name, pod, node, owner } = run;
      const end = run.endedAt ?? clock.now();
      const created = run.createdAt ?? run.startedAt ?? end;
      const trace = hexOf(`${namespace}/${name}`, 32);
      const id = hexOf(`${namespace}/${pod} run`, 16);
      const attributes: Attributes = {
        operation,
        result,
        "k8s.namespace.name": namespace,
        "k8s.job.name": name,
        "k8s.pod.name": pod,
        ...(node === undefined ? {} : { "k8s.node.name": node }),
        ...(owner === undefined
          ? {}
          : { "holdfast.owner.kind": owner.kind, "holdfast.owner.name": owner.name }),
      };
      const failed = result === "succeeded" ? {} : { error: result };
      take({ trace, id, name: `run ${operation}`, start: created, end, attributes, ...failed });
      if (run.startedAt === undefined) return;
      const mover = { trace, id: hexOf(`${namespace}/${pod} mover`, 16), parent: id, attributes };
      take({ ...mover, name: `mover ${operation}`, start: run.startedAt, end, ...failed });
    },
  };
}

function hexOf(text: string, digits: number): string {
  return sha256(text).slice(0, digits);
}
