import type { Keepers } from "../../core/work/queue/pools.ts";
import type { RunRecord } from "../../core/work/run_record.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import type { Controller } from "../../kube/controller/controller.ts";
import type { KubeObject } from "../../kube/object.ts";
import { recordsOf } from "./records.ts";

/** The objects of a kind as keepers of records: who waits among them is woken when it is its turn. */
export function keepersOf<T extends KubeObject & { readonly status?: object }>(
  cache: Cache<T>,
  controller: Pick<Controller, "enqueue">,
): Keepers<T> {
  return {
    cache,
    records: ({ status }) => Object.values(recordsOf(status)).filter(isRecord),
    wake: (key) => controller.enqueue(key),
  };
}

/** Other things are remembered beside the runs. */
function isRecord(value: unknown): value is RunRecord {
  return typeof value === "object" && value !== null && "attempt" in value && "failures" in value;
}
