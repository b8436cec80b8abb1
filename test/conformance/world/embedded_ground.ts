import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ControlPlane } from "../../../src/embedded/control_plane.ts";
import { MachineNode } from "../../../src/embedded/node/node.ts";
import { MemoryStore } from "../../../src/embedded/store/memory_store.ts";
import { HttpClient } from "../../../src/kube/client/http_client.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { HttpsSender } from "../../../src/lib/https_sender.ts";
import { systemProcessGroups } from "../../../src/lib/process_groups.ts";
import { systemProcesses } from "../../../src/lib/processes.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { systemStreamedProcesses } from "../../../src/lib/streamed_process.ts";
import { silentLogger } from "../../../src/observe/log.ts";
import type { Ground } from "./world.ts";

/** Stands for the programs of this machine. */
const IMAGE = "host:1";

/** Pods get mount namespaces of their own, which root can always make. */
export const embeddedHasNode = process.getuid?.() === 0;

/** The embedded control plane in this process, over a store in memory, with this machine as its node. */
export async function embeddedGround(): Promise<{ readonly ground: Ground } & AsyncDisposable> {
  const ports = { clock: systemClock, random: systemRandom, log: silentLogger };
  const store = new MemoryStore({ clock: systemClock });
  const plane = new ControlPlane({
    ...ports,
    store,
    podLogs: { read: (...args) => node.logs.read(...args) },
    podExec: { open: (...args) => node.exec.open(...args) },
    webhookSender: ({ url, ca }) => new HttpsSender({ url, ...(ca ? { tls: { ca } } : {}) }),
  });
  const state = mkdtempSync(join(tmpdir(), "conformance-"));
  const node = new MachineNode({
    ...ports,
    client: new HttpClient({ ...ports, sender: plane.sender, userAgent: "node" }),
    processes: systemProcesses,
    groups: systemProcessGroups,
    streamed: systemStreamedProcesses,
    state,
    images: (name) => (name === IMAGE ? { command: ["sh"] } : undefined),
    isRoot: embeddedHasNode,
    atStop: "kill",
  });
  const stop = new AbortController();
  const ready = Promise.withResolvers<void>();
  const running = [plane.run(stop.signal)];
  if (embeddedHasNode) running.push(node.run(stop.signal, ready.resolve, new AbortController().signal));
  else ready.resolve();
  await Promise.race([ready.promise, ...running]);
  // A real server, too, has forgotten its first versions when the suite comes.
  store.compact(store.revision);
  return {
    ground: {
      sender: plane.sender,
      host: "127.0.0.1",
      ...(embeddedHasNode ? { image: IMAGE } : {}),
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the suite is over"));
      await Promise.allSettled(running);
      plane.sender.close();
      store.close();
      await rm(state, { recursive: true, force: true });
    },
  };
}
