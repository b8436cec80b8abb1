import type { Client } from "../../kube/client.ts";
import { Controller, type Outcome } from "../../kube/controller/controller.ts";
import type { ObjectKey } from "../../kube/object.ts";
import type { Runnable } from "../../kube/runnable.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Logger } from "../../observe/log.ts";
import type { ServedKinds } from "../api/served_kinds.ts";
import type { Change, Store } from "../store/store.ts";

/** What the control plane's own controllers work with: they read the store, and write through the API. */
export interface ControllerPorts {
  readonly store: Store;
  readonly client: Client;
  readonly kinds: ServedKinds;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface StoreControllerOptions {
  readonly name: string;
  /** What is to be looked at first. */
  readonly initial: () => Iterable<string>;
  /** What a change gives reason to look at. Called with every change, also before the first look. */
  readonly keysOf: (change: Change) => Iterable<string>;
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<Outcome>;
}

/** A controller that follows the store itself: every kind, the newest state, no cache of its own. */
export function storeController(ports: ControllerPorts, options: StoreControllerOptions): Runnable {
  const { store, clock, random, log } = ports;
  const { name, initial, keysOf, reconcile } = options;
  return {
    name,
    async run(signal, ready, halt) {
      const controller = new Controller({ name, reconcile, clock, random, log });
      const look = (key: string) => controller.enqueue(key as ObjectKey);
      const end = store.subscribe((change) => {
        for (const key of keysOf(change)) look(key);
      });
      for (const key of initial()) look(key);
      try {
        await controller.run(signal, ready, halt);
      } finally {
        end();
      }
    },
  };
}
