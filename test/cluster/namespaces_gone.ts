import type { Namespace } from "kubernetes-types/core/v1.d.ts";

import { Namespaces, type Stored } from "../../src/kube/builtin.ts";
import type { Client } from "../../src/kube/client.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";

const PATIENCE_MS = 180_000;

/**
 * Waits until no namespace is being deleted, while the operator that lets its objects go is still there. Where one stays,
 * it says what is left in it, and which finalizers hold that.
 */
export async function namespacesGone(client: Client, patienceMs = PATIENCE_MS): Promise<void> {
  const end = systemClock.monotonic() + patienceMs;
  for (;;) {
    const { items } = await client.list(Namespaces);
    const leaving = items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    if (leaving.length === 0) return;
    if (systemClock.monotonic() > end) {
      throw new Error(`namespaces that do not go away: ${leaving.map(whatIsLeft).join("; ")}`);
    }
    await sleep(systemClock, 500);
  }
}

function whatIsLeft({ metadata, status }: Stored<Namespace>): string {
  const words = (status?.conditions ?? [])
    .filter(({ type, status: holds }) => holds === "True" && /Remaining|Failure/.test(type))
    .map(({ message = "" }) => message);
  return `${metadata.name} (${words.join(" ")})`;
}
