import { expect, test } from "vitest";
import { type DataMovement, dataUploadResource } from "../../../kinds/velero/data_movement.ts";
import { seededRandom } from "../../../lib/random.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { silentLogger as log } from "../../../observe/log.ts";
import type { VeleroPorts } from "../ports.ts";
import { refuseDataMovement } from "./refuse_data_movement.ts";

const upload = {
  kind: "DataUpload",
  metadata: { namespace: "velero", name: "x", uid: "u", resourceVersion: "1" },
  spec: {},
} as unknown as DataMovement;

test("objects are refused once the cluster serves their kind, and not asked for before", async () => {
  const clock = new VirtualClock();
  const patched = Promise.withResolvers<unknown>();
  let served = false;
  let asked = 0;
  const ports = {
    clock,
    log,
    random: seededRandom(1),
    own: { namespace: "velero" },
    caches: { namespaces: { get: () => undefined } },
    events: { event: () => {} },
    client: {
      serves: async () => served,
      patch: async (_: unknown, __: unknown, { patch }: { readonly patch: unknown }) => {
        patched.resolve(patch);
        return upload;
      },
    },
  } as unknown as VeleroPorts;
  const cache = {
    get: () => upload,
    whenSynced: async () => {},
    onChange: (tell: (change: object) => void) => {
      tell({ type: "added", key: "velero/x", object: upload });
      return () => {};
    },
  };
  const informers = {
    cache: () => {
      asked += 1;
      return cache as never;
    },
  };
  const stop = new AbortController();
  const running = refuseDataMovement(ports, informers, dataUploadResource).run(
    stop.signal,
    () => {},
    new AbortController().signal,
  );
  await clock.advance(120_000);
  expect(asked).toBe(0);
  served = true;
  await clock.advance(60_000);
  expect(await patched.promise).toMatchObject({ status: { phase: "Failed" } });
  expect(asked).toBe(1);
  stop.abort(new Error("over"));
  await clock.advance(60_000);
  await running;
});
