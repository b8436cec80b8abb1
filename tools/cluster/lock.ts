import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fingerprint } from "../../src/lib/hash.ts";

/**
 * Waits until nobody else on this machine holds the lock of that name, and takes it. It is a listening socket
 * in Linux's abstract name space: the kernel frees it when its holder ends, however it ends.
 */
export async function lock(name: string, onWait?: () => void): Promise<Disposable> {
  const address = `\0holdfast-lock-${fingerprint(name, 24)}`;
  let waited = false;
  for (;;) {
    const server = createServer((socket) => socket.destroy());
    const taken = await new Promise<boolean>((resolve, reject) => {
      server.once("error", (error: NodeJS.ErrnoException) =>
        error.code === "EADDRINUSE" ? resolve(false) : reject(error),
      );
      server.listen(address, () => resolve(true));
    });
    if (taken) {
      server.unref();
      return { [Symbol.dispose]: () => void server.close() };
    }
    if (!waited) onWait?.();
    waited = true;
    await pause(100);
  }
}
