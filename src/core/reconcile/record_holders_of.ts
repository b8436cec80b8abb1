import type { Cache } from "../../kube/cache/cache.ts";
import type { Controller } from "../../kube/controller/controller.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { RecordHolders } from "../work/queue/repository_queues.ts";
import type { RunRecord } from "../work/run_record.ts";
import { recordsOf } from "./records.ts";

/** The objects of a kind as keepers of records: who waits among them is woken when it is its turn. */
export function recordHoldersOf<T extends KubeObject & { readonly status?: object }>(
  cache: Cache<T>,
  controller: Pick<Controller, "enqueue">,
): RecordHolders<T> {
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
