import { expect, test } from "vitest";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import type { Client } from "../../../kube/client.ts";
import { type RecordedCall, RecordingClient } from "../../../kube/testing/recording_client.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { silentLogger as log } from "../../../observe/log.ts";
import { leftoverSweep, SWEEP_INTERVAL } from "./leftover_sweep.ts";
import type { OwnerTruth } from "./leftovers.ts";
import { STAGED_FOR } from "./staged_marks.ts";
import { copy } from "./testing/staging_samples.ts";

/** A cluster with one staged claim, until it is deleted. */
class OneCopy extends RecordingClient {
  left = true;
  fails = false;

  constructor() {
    super((call) => this.#answer(call));
  }

  async serves(): Promise<boolean> {
    return false;
  }

  #answer({ verb, resource, options }: RecordedCall): unknown {
    if (this.fails) throw new Error("the server is away");
    if (verb === "delete") {
      this.left = false;
      return true;
    }
    const wanted = (options as { readonly labelSelector?: string } | undefined)?.labelSelector === STAGED_FOR;
    const found = verb === "list" && resource === PersistentVolumeClaims && wanted && this.left;
    return { items: found ? [copy()] : [] };
  }
}

async function sweeping(truth: OwnerTruth, act: (client: OneCopy, clock: VirtualClock) => Promise<void>) {
  const client = new OneCopy();
  const clock = new VirtualClock();
  const stop = new AbortController();
  const sweep = leftoverSweep({
    client: client as unknown as Client,
    clock,
    log,
    truthOf: async () => truth,
  });
  let ready = false;
  const ended = sweep.run(
    stop.signal,
    () => {
      ready = true;
    },
    stop.signal,
  );
  await clock.advance(0);
  expect(ready).toBe(true);
  await act(client, clock);
  stop.abort();
  await ended;
}

test("what an owner left that is gone is removed at the start", async () => {
  await sweeping("gone", async (client) => {
    expect(client.writes).toMatchObject([{ verb: "delete", resource: PersistentVolumeClaims }]);
  });
});

test.each<OwnerTruth>(["there", "unknown"])("what an owner staged that is %s stays", async (truth) => {
  await sweeping(truth, async (client, clock) => {
    await clock.advance(SWEEP_INTERVAL);
    expect(client.writes).toEqual([]);
    expect(client.left).toBe(true);
  });
});

test("it looks once an hour, and soon again after it removed something", async () => {
  await sweeping("gone", async (client, clock) => {
    const first = client.calls.length;
    await clock.advance(5_000);
    const second = client.calls.length;
    expect(second).toBeGreaterThan(first);
    await clock.advance(SWEEP_INTERVAL - 1);
    expect(client.calls.length).toBe(second);
    await clock.advance(1);
    expect(client.calls.length).toBeGreaterThan(second);
  });
});

test("a server that is away ends nothing", async () => {
  await sweeping("gone", async (client, clock) => {
    client.fails = true;
    client.left = true;
    await clock.advance(5_000);
    client.fails = false;
    await clock.advance(10_000);
    expect(client.left).toBe(false);
  });
});
