import { expect, test } from "vitest";
import { RecordingClient } from "../testing/recording_client.ts";
import { removeFormerWebhooks, removeOwnWebhooks } from "./remove_own_webhooks.ts";

const own = { name: "holdfast-kopiur", namespace: "backups" };

/** What is removed of configurations whose webhooks are reached like this. */
function removed(...reached: readonly object[]) {
  return removedBy(removeOwnWebhooks, ...reached);
}

async function removedBy(
  remove: (client: RecordingClient, webhooks: typeof own) => Promise<unknown>,
  ...reached: readonly object[]
) {
  const webhooks = reached.map((clientConfig) => ({ name: "a", clientConfig }));
  const client = new RecordingClient(() => ({ metadata: { name: own.name, uid: "1" }, webhooks }));
  await remove(client, own);
  return client.writes.map(({ verb, resource, name, options }) => ({
    verb,
    kind: resource.kind,
    name,
    options,
  }));
}

const service = (namespace: string) => ({ service: { namespace, name: "webhook" } });

test("removeOwnWebhooks() removes both configurations that lead to a Service of its namespace, if they are still the same", async () => {
  expect(await removed(service("backups"))).toEqual(
    ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"].map((kind) => ({
      verb: "delete",
      kind,
      name: { name: own.name },
      options: { uid: "1" },
    })),
  );
});

test.each([
  ["lead to no Service", [{ url: "https://10.0.0.1:8443" }]],
  ["have no webhooks", []],
])("removeOwnWebhooks() removes configurations that %s", async (_, reached) => {
  expect(await removed(...reached)).toHaveLength(2);
});

test("removeOwnWebhooks() leaves what leads to a Service of another namespace", async () => {
  expect(await removed(service("backups"), service("elsewhere"))).toEqual([]);
});

test("removeFormerWebhooks() removes both configurations that lead to a Service of its namespace, if they are still the same", async () => {
  const found = await removedBy(removeFormerWebhooks, service("backups"), service("backups"));
  expect(found).toMatchObject([{ options: { uid: "1" } }, { options: { uid: "1" } }]);
});

test.each([
  ["lead to another namespace", [service("backups"), service("elsewhere")]],
  ["lead to no Service", [{ url: "https://10.0.0.1:8443" }]],
  ["have no webhooks", []],
])("removeFormerWebhooks() leaves configurations that %s: they may be anybody's", async (_, reached) => {
  expect(await removedBy(removeFormerWebhooks, ...reached)).toEqual([]);
});

test("removeFormerWebhooks() says whether there were any", async () => {
  const webhooks = [{ name: "a", clientConfig: service("backups") }];
  const told = (found: object[]) =>
    removeFormerWebhooks(new RecordingClient(() => ({ metadata: { name: own.name }, webhooks: found })), own);
  expect([await told(webhooks), await told([])]).toEqual([true, false]);
});
