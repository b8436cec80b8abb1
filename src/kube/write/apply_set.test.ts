import { describe, expect, test } from "vitest";
import { ApiError } from "../api_error.ts";
import { ConfigMaps, Nodes, ServiceAccounts } from "../builtin.ts";
import { type KubeObject, keyOf, type ObjectMeta } from "../object.ts";
import type { Resource } from "../resource.ts";
import { type RecordedCall, RecordingClient } from "../testing/recording_client.ts";
import {
  type ApplySetReport,
  applySet,
  type DesiredSet,
  ForeignObject,
  member,
  SET_LABEL,
} from "./apply_set.ts";

const options = { fieldManager: "holdfast" };

function stored(name: string, metadata: Partial<ObjectMeta> = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name,
      namespace: "home",
      uid: `uid of ${name}`,
      resourceVersion: "7",
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { [SET_LABEL]: "mine" },
      ...metadata,
    },
  };
}

const configMap = (name: string) =>
  member(ConfigMaps, { metadata: { name, namespace: "home" }, data: { a: "1" } });

const setOf = (...names: string[]): DesiredSet => ({
  id: "mine",
  members: names.map(configMap),
  kinds: [ConfigMaps],
  namespace: "home",
});

const notFound = () => new ApiError({ request: "GET", code: 404, status: { reason: "NotFound" } });

const metadataOf = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata,
});

/** A server that holds ConfigMaps; an apply changes those that are named in `changing`, or were not there. */
function server(present: readonly KubeObject[], changing: readonly string[] = []) {
  return (call: RecordedCall): unknown => {
    const found = present.find((object) => object.metadata.name === call.name?.name);
    switch (call.verb) {
      case "list":
        return { items: call.resource.plural === "configmaps" ? present.map(metadataOf) : [], metadata: {} };
      case "get":
        if (!found) throw notFound();
        return found;
      case "apply":
        if (found && !changing.includes(found.metadata.name)) return found;
        return stored(call.name?.name ?? "", { resourceVersion: "8" });
      default:
        return true;
    }
  };
}

/** Fails what `broken` chooses, and leaves the rest to the server. */
function failing(answer: (call: RecordedCall) => unknown, broken: (call: RecordedCall) => boolean) {
  return (call: RecordedCall) => {
    if (broken(call)) throw new Error(`${call.verb} failed`);
    return answer(call);
  };
}

const namesIn = (report: ApplySetReport) => ({
  applied: report.applied.map((each) => each.key),
  unchanged: report.unchanged.map((each) => each.key),
  pruned: report.pruned.map((each) => each.key),
  failed: report.failed.map((each) => each.key),
});

const writesOf = (client: RecordingClient) =>
  client.writes.map((call) => `${call.verb} ${call.name && keyOf(call.name)}`);

describe("applySet()", () => {
  test("applies in order with the set's label, then prunes what is no longer wanted", async () => {
    const client = new RecordingClient(server([stored("old"), stored("b"), stored("c")], ["c"]));
    const report = await applySet(client, setOf("a", "b", "c"), options);
    expect(writesOf(client)).toEqual(["apply home/a", "apply home/b", "apply home/c", "delete home/old"]);
    expect(namesIn(report)).toEqual({
      applied: ["home/a", "home/c"],
      unchanged: ["home/b"],
      pruned: ["home/old"],
      failed: [],
    });
    expect(client.writes[0]).toMatchObject({
      body: { metadata: { labels: { [SET_LABEL]: "mine" } }, data: { a: "1" } },
      options: { fieldManager: "holdfast" },
    });
  });

  test("keeps the labels that a member has", async () => {
    const client = new RecordingClient(server([]));
    const labelled = member(ConfigMaps, { metadata: { name: "a", namespace: "home", labels: { app: "x" } } });
    await applySet(client, { ...setOf(), members: [labelled] }, options);
    expect(client.writes[0]).toMatchObject({
      body: { metadata: { labels: { app: "x", [SET_LABEL]: "mine" } } },
    });
  });

  test("looks for members by label, in the set's namespace, once for every kind", async () => {
    const client = new RecordingClient(server([]));
    const set = { ...setOf("a", "b"), kinds: [ConfigMaps, ServiceAccounts, Nodes] };
    await applySet(client, set, options);
    const lists = client.calls.filter((call) => call.verb === "list");
    expect(lists.map((call) => [call.resource.plural, call.options])).toEqual([
      ["configmaps", { labelSelector: `${SET_LABEL}=mine`, namespace: "home" }],
      ["serviceaccounts", { labelSelector: `${SET_LABEL}=mine`, namespace: "home" }],
      ["nodes", { labelSelector: `${SET_LABEL}=mine` }],
    ]);
  });

  test("makes a label value of an id that is none", async () => {
    const client = new RecordingClient(server([]));
    await applySet(client, { ...setOf("a"), id: "home/my set" }, options);
    expect(client.writes[0]).toMatchObject({
      body: { metadata: { labels: { [SET_LABEL]: expect.stringMatching(/^home-my-set-[a-z0-9]{8}$/) } } },
    });
  });

  test("deletes only the very object and state that it looked at", async () => {
    const client = new RecordingClient(server([stored("old")]));
    await applySet(client, setOf(), options);
    expect(client.writes).toMatchObject([
      {
        verb: "delete",
        options: { uid: "uid of old", resourceVersion: "7", propagation: "Background" },
      },
    ]);
  });

  test("applies only to the very object that it looked at", async () => {
    const client = new RecordingClient(server([stored("a")]));
    await applySet(client, setOf("a", "b"), options);
    expect(client.writes[0]).toMatchObject({ body: { metadata: { uid: "uid of a" } } });
    expect(client.writes[1]?.body).not.toHaveProperty("metadata.uid");
  });

  test.each([
    ["no label", {}],
    ["another set's label", { [SET_LABEL]: "theirs" }],
  ])("never touches an object with %s", async (_, labels) => {
    const answer = server([stored("theirs", { labels }), stored("wanted", { labels })]);
    const client = new RecordingClient((call) => (call.verb === "list" ? { items: [] } : answer(call)));
    const report = await applySet(client, setOf("wanted"), options);
    expect(client.writes).toEqual([]);
    const error = report.failed[0]?.error;
    expect(error).toBeInstanceOf(ForeignObject);
    expect(error).toHaveProperty(
      "message",
      expect.stringContaining("ConfigMap home/wanted is there already and does not belong to the set mine"),
    );
  });

  test("never prunes what lacks the label, even when a listing returns it", async () => {
    const client = new RecordingClient(server([stored("theirs", { labels: {} })]));
    await applySet(client, setOf(), options);
    expect(client.writes).toEqual([]);
  });

  test("does not delete again what is being deleted", async () => {
    const client = new RecordingClient(
      server([stored("old", { deletionTimestamp: "2026-01-01T00:00:00Z" })]),
    );
    await applySet(client, setOf(), options);
    expect(client.writes).toEqual([]);
  });

  test("does not count as pruned what was gone already", async () => {
    const answer = server([stored("old")]);
    const client = new RecordingClient((call) => (call.verb === "delete" ? false : answer(call)));
    expect((await applySet(client, setOf(), options)).pruned).toEqual([]);
  });

  test("goes on after a failed apply, but then prunes nothing", async () => {
    const broken = (call: RecordedCall) => call.verb === "apply" && call.name?.name === "a";
    const client = new RecordingClient(failing(server([stored("old")]), broken));
    const report = await applySet(client, setOf("a", "b"), options);
    expect(writesOf(client)).toEqual(["apply home/a", "apply home/b"]);
    expect(namesIn(report)).toEqual({ applied: ["home/b"], unchanged: [], pruned: [], failed: ["home/a"] });
  });

  test("applies after a failed listing, but then prunes nothing of any kind", async () => {
    const broken = (call: RecordedCall) => call.verb === "list" && call.resource.plural === "serviceaccounts";
    const client = new RecordingClient(failing(server([stored("old")]), broken));
    const report = await applySet(client, { ...setOf("a"), kinds: [ConfigMaps, ServiceAccounts] }, options);
    expect(writesOf(client)).toEqual(["apply home/a"]);
    expect(report.failed).toEqual([{ resource: ServiceAccounts, error: new Error("list failed") }]);
  });

  test("does not apply to what it could not look at", async () => {
    const broken = (call: RecordedCall) => call.verb === "get";
    const client = new RecordingClient(failing(server([]), broken));
    const report = await applySet(client, setOf("a"), options);
    expect(client.writes).toEqual([]);
    expect(report.failed).toMatchObject([{ key: "home/a" }]);
  });

  test("deletes the last first, and goes on after a failure", async () => {
    const broken = (call: RecordedCall) => call.verb === "delete" && call.name?.name === "two";
    const client = new RecordingClient(failing(server([stored("one"), stored("two")]), broken));
    const report = await applySet(client, setOf(), options);
    expect(writesOf(client)).toEqual(["delete home/two", "delete home/one"]);
    expect(namesIn(report)).toMatchObject({ pruned: ["home/one"], failed: ["home/two"] });
  });

  test("throws the signal's reason instead of reporting it", async () => {
    const controller = new AbortController();
    const client = new RecordingClient(
      failing(server([]), (call) => {
        if (call.verb === "apply") controller.abort(new Error("shutting down"));
        return controller.signal.aborted;
      }),
    );
    const run = applySet(client, setOf("a", "b"), { ...options, signal: controller.signal });
    await expect(run).rejects.toThrow("shutting down");
    expect(client.writes).toHaveLength(1);
  });

  test("a dry run asks the server for one, and tells change by content", async () => {
    const before = { ...stored("a"), data: { a: "1" } };
    const same = { ...before, metadata: { ...before.metadata, managedFields: [{ manager: "holdfast" }] } };
    const answer = server([before, stored("b"), stored("old")]);
    const client = new RecordingClient((call) => {
      if (call.verb !== "apply") return answer(call);
      return call.name?.name === "a" ? same : { ...stored("b"), data: { changed: "yes" } };
    });
    const report = await applySet(client, setOf("a", "b"), { ...options, dryRun: true });
    expect(namesIn(report)).toEqual({
      applied: ["home/b"],
      unchanged: ["home/a"],
      pruned: ["home/old"],
      failed: [],
    });
    expect(client.writes.map((call) => (call.options as { dryRun?: boolean }).dryRun)).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("passes force on only when asked", async () => {
    const client = new RecordingClient(server([]));
    await applySet(client, setOf("a"), options);
    await applySet(client, setOf("a"), { ...options, force: true });
    expect(client.writes.map((call) => (call.options as { force?: boolean }).force)).toEqual([
      undefined,
      true,
    ]);
  });

  test.each<[string, DesiredSet, string]>([
    ["a member twice", setOf("a", "a"), "set mine holds configmaps home/a twice"],
    [
      "a member of another namespace",
      { ...setOf("a"), namespace: "away" },
      "set mine is of namespace away, but holds configmaps home/a",
    ],
  ])("refuses %s before it does anything", async (_, set, message) => {
    const client = new RecordingClient(server([]));
    await expect(applySet(client, set, options)).rejects.toThrow(message);
    expect(client.calls).toEqual([]);
  });

  test("takes two versions of a kind for the same objects", async () => {
    const older: Resource = { ...ConfigMaps, version: "v1beta1" } as Resource;
    const client = new RecordingClient(server([stored("a")]));
    await applySet(client, { ...setOf("a"), kinds: [older] }, options);
    expect(writesOf(client)).toEqual(["apply home/a"]);
  });
});
