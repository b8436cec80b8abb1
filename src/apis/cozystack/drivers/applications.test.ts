import { expect, test } from "vitest";
import { RecordingClient } from "../../../kube/testing/recording_client.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { application } from "../testing/samples.ts";
import { Applications } from "./applications.ts";

/** The group has the kind Postgres, with namespaces or without. */
function serving(namespaced: boolean) {
  const resources = [{ name: "postgreses", kind: "Postgres", namespaced }];
  const client = new RecordingClient(({ resource, name }) => {
    if (name?.name !== undefined) return { kind: "Postgres", metadata: name };
    return resource.version === "" ? { preferredVersion: { version: "v1" } } : { resources };
  });
  return {
    client,
    find: () => new Applications(client as never, new VirtualClock()).find(application, "tenant", {}),
  };
}

test("an application is an object of the namespace", async () => {
  expect(await serving(true).find()).toMatchObject({ ok: true, value: { metadata: { name: "db" } } });
});

test("what belongs to no namespace is not read", async () => {
  const { client, find } = serving(false);
  expect(await find()).toMatchObject({
    ok: false,
    error: {
      class: "terminal",
      reason: "ApplicationKindNotFound",
      message: "Postgres of apps.cozystack.io belongs to no namespace. Correct applicationRef.",
    },
  });
  expect(client.calls.filter(({ name }) => name?.name !== undefined)).toEqual([]);
});
