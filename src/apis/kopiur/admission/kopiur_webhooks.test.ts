import { expect, test } from "vitest";
import { KINDS } from "../../../kinds/kopiur/kinds.ts";
import { webhookConfigurations } from "../../../kube/admission/webhook_configuration.ts";
import { RecordingClient } from "../../../kube/testing/recording_client.ts";
import { kopiurWebhooks } from "./kopiur_webhooks.ts";
import { clusterRepository, config, maintenance, restore } from "./testing/manifests.ts";
import { MemoryDoor, storedOf } from "./testing/memory_door.ts";
import { EMPTY_LOOKUP } from "./testing/memory_lookup.ts";

const ports = {
  client: new RecordingClient(),
  lookup: EMPTY_LOOKUP,
  operatorNamespace: "platform",
  isOperator: () => false,
  settings: { moverImage: "holdfast/mover:1" },
};
const configured = (namespace?: string) =>
  webhookConfigurations({
    name: "it",
    webhooks: kopiurWebhooks({ ...ports, namespace }),
    reach: { url: "https://127.0.0.1:1" },
  });

test("every kind is checked", () => {
  const { validating, mutating } = configured();
  expect(validating.webhooks.flatMap(({ rules }) => rules.flatMap(({ resources }) => resources))).toEqual(
    KINDS.map(({ resource }) => resource.plural),
  );
  for (const webhook of [...validating.webhooks, ...mutating.webhooks]) {
    expect(webhook).toMatchObject({ sideEffects: "None" });
    expect(webhook.rules[0]?.operations).toEqual(["CREATE", "UPDATE"]);
    expect(webhook.matchConditions).toEqual([
      {
        name: "not-being-deleted",
        expression: "request.operation != 'UPDATE' || !has(oldObject.metadata.deletionTimestamp)",
      },
    ]);
  }
});

test("while nobody serves them, only what no controller can check again is refused", () => {
  const { validating, mutating } = configured();
  const refused = [...validating.webhooks, ...mutating.webhooks].filter(
    ({ failurePolicy }) => failurePolicy === "Fail",
  );
  // Consents that nobody overwrites would count, and who makes a Backup is known at the door alone.
  expect(refused.map(({ name }) => name.replace(/\.kopiur\..*/, ""))).toEqual([
    "validate.backups",
    "complete.backupconfigs",
    "complete.backups",
    "complete.restores",
    "complete.maintenances",
  ]);
});

test("what has defaults of others or references is completed before", () => {
  const { mutating } = configured();
  expect(mutating.webhooks.map(({ name }) => name)).toEqual(
    ["backupconfigs", "backups", "restores", "maintenances"].map(
      (plural) => `complete.${plural}.kopiur.home-operations.com`,
    ),
  );
});

test("an operator of one namespace guards that one alone", () => {
  const { validating } = configured("billing");
  expect(validating.webhooks).toHaveLength(KINDS.length - 1);
  for (const { namespaceSelector } of validating.webhooks) {
    expect(namespaceSelector).toEqual({ matchLabels: { "kubernetes.io/metadata.name": "billing" } });
  }
});

test("an edit of neither spec nor annotations is not looked at", async () => {
  const door = new MemoryDoor();
  const old = storedOf(config({ spec: { mover: { privilegedMode: true } } }));
  const relabelled = { ...old, metadata: { ...old.metadata, labels: { a: "b" } } };
  expect((await door.write(relabelled, "stranger", old)).verdict).toEqual({ allowed: true });
});

test("a tenant's Maintenance of a ClusterRepository that slipped in keeps nobody from writing the right one", async () => {
  const door = new MemoryDoor();
  const spec = { repository: { kind: "ClusterRepository", name: "commons" } };
  door.put(clusterRepository());
  door.put(maintenance({ spec }));
  const { verdict } = await door.write(maintenance({ namespace: "platform", spec }), "stranger");
  expect(verdict.allowed).toBe(true);
});

test("an object without the shape of its kind is left to the API server, without a consent of its own", async () => {
  const annotations = { "kopiur.home-operations.com/consented-references": "Repository/tenant-b/nas" };
  const broken = { ...storedOf(restore({ annotations })), spec: { source: 1 } };
  const [complete] = kopiurWebhooks(ports).filter(({ path }) => path === "/kopiur/complete/restores");
  if (complete?.type !== "mutating") throw new Error("restores are not completed");
  const request = {
    uid: "1",
    operation: "CREATE" as const,
    resource: { group: "", version: "", resource: "" },
    subResource: "",
    name: "again",
    namespace: "tenant-a",
    object: broken,
    oldObject: undefined,
    user: { username: "ann", uid: "", groups: [] },
    dryRun: false,
  };
  const mutation = await complete.mutate(request, new AbortController().signal);
  expect(mutation).toMatchObject({
    allowed: true,
    object: { spec: { source: 1 }, metadata: { annotations: {} } },
  });
});
