import { ConfigMaps, Namespaces, ServiceAccounts } from "../../src/kube/builtin.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { PodClient } from "../../src/kube/client/pod_client.ts";
import type { Client } from "../../src/kube/client.ts";
import { connect } from "../../src/kube/config/connect.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { HttpSender } from "../../src/lib/http.ts";
import { systemProcesses } from "../../src/lib/processes.ts";
import { systemRandom } from "../../src/lib/random.ts";

/** A way into the cluster under test, with a namespace of its own. */
export interface World extends AsyncDisposable {
  readonly client: HttpClient;
  readonly pods: PodClient;
  readonly sender: HttpSender;
  readonly namespace: string;
}

/** The kubeconfig of the cluster under test: `npm run test:cluster` sets it. */
export function testKubeconfig(): string {
  const path = process.env.HOLDFAST_TEST_KUBECONFIG;
  if (!path)
    throw new Error("HOLDFAST_TEST_KUBECONFIG is not set: run these tests with npm run test:cluster");
  return path;
}

export async function enterWorld(prefix: string): Promise<World> {
  const ports = { clock: systemClock, random: systemRandom };
  const connectOptions = {
    ...ports,
    processes: systemProcesses,
    env: process.env,
    kubeconfig: testKubeconfig(),
  };
  const { sender } = await connect(connectOptions);
  const client = new HttpClient({ sender, ...ports });
  const namespace = `${prefix}-${systemRandom.hex(3)}`;
  await client.create(Namespaces, { metadata: { name: namespace } });
  await filled(client, namespace);
  return {
    client,
    pods: new PodClient({ sender, ...ports }),
    sender,
    namespace,
    async [Symbol.asyncDispose]() {
      await client.delete(Namespaces, { name: namespace });
      sender.close();
    },
  };
}

/** Waits for what controllers put into every namespace, in their own time. */
export async function filled(client: Client, namespace: string): Promise<void> {
  await eventually(`${namespace} has what every namespace gets`, async () => {
    const [accounts, maps] = await Promise.all([
      client.list(ServiceAccounts, { namespace, fieldSelector: "metadata.name=default" }),
      client.list(ConfigMaps, { namespace, fieldSelector: "metadata.name=kube-root-ca.crt" }),
    ]);
    return accounts.items.length > 0 && maps.items.length > 0;
  });
}

/** Asks until the answer is true: what a cluster does, it does in its own time. */
export async function eventually(
  what: string,
  condition: () => Promise<boolean> | boolean,
  seconds = 30,
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    if (await condition()) return;
    if (performance.now() > end) throw new Error(`within ${seconds} s this did not become true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
