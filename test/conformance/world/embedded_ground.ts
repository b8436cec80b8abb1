import { ControlPlane } from "../../../src/embedded/control_plane.ts";
import { Namespaces } from "../../../src/kube/builtin.ts";
import { MemoryStore } from "../../../src/embedded/store/memory_store.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { Api } from "./api.ts";
import type { Ground } from "./world.ts";

/** The embedded control plane in this process, over a store in memory. */
export async function embeddedGround(): Promise<{ readonly ground: Ground } & AsyncDisposable> {
  const store = new MemoryStore({ clock: systemClock });
  const plane = new ControlPlane({ store, clock: systemClock, random: systemRandom });
  const stop = new AbortController();
  const running = plane.run(stop.signal);
  await new Api(plane.sender).of(Namespaces).list();
  store.compact(store.revision);
  return {
    ground: {
      kind: "embedded",
      sender: plane.sender,
      host: "127.0.0.1",
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      plane.sender.close();
      store.close();
    },
  };
}
