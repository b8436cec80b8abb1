import { expect } from "vitest";
import { ConfigMaps } from "../../src/kube/builtin.ts";
import { type Api, type Collection, eventually, type Frame, type Query, type Watching } from "./world/api.ts";
import { refused, taken } from "./world/expectations.ts";
import type { Theme } from "./world/world.ts";

/** A watch of what carries the label, from now on. */
async function watchFromNow(things: Collection, set: string, query: Query = {}) {
  const labelSelector = `set=${set}`;
  const { metadata } = taken(await things.list({ labelSelector }));
  return things.watch({ labelSelector, resourceVersion: metadata.resourceVersion, ...query });
}

/**
 * Kubernetes has streaming lists by default in 1.32 and from 1.34 on. In between it refuses them, and informers list and
 * watch. A server that emulates another version says so.
 */
async function withoutStreams(api: Api): Promise<boolean> {
  const {
    major,
    minor,
    emulationMajor = major,
    emulationMinor = minor,
  } = (await api.send("GET", "/version")).body;
  return emulationMajor === "1" && emulationMinor === "33";
}

/** A streaming list to its bookmark. A server whose cache lags behind its store for three seconds asks to be asked again. */
function streamingList(things: Collection, set: string): Promise<{ watching: Watching; events: Frame[] }> {
  return eventually("a streaming list", async () => {
    const watching = await things.watch({
      labelSelector: `set=${set}`,
      sendInitialEvents: true,
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: true,
    });
    const events = await watching.next(3);
    const { code, message } = events[0]?.object ?? {};
    const lags = code === 504 && /Too large resource version/.test(message ?? "");
    return { done: !lags, value: { watching, events } };
  });
}

/** The next event that is no bookmark. Those that end no list come when the server likes. */
async function nextChange(watching: Watching): Promise<string | undefined> {
  for (;;) {
    const [event] = await watching.next(1);
    if (event?.type !== "BOOKMARK") return event && `${event.type} ${event.object.metadata.name}`;
    expect(event.object.metadata).not.toHaveProperty("annotations");
  }
}

const draft = (name: string, set: string, more: object = {}) => ({
  metadata: { name, labels: { set } },
  ...more,
});

export const watches: Theme = {
  name: "watches",
  cases: {
    "creation, change and deletion come in order, with growing versions": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        using watching = await watchFromNow(things, "order");
        const made = taken(await things.create(draft("order", "order")));
        const changed = taken(
          await things.patch("order", "merge", { metadata: { annotations: { a: "1" } } }),
        );
        taken(await things.delete("order"));
        const events = await watching.next(3);
        expect(events.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
        expect(events[0]?.object).toEqual(made);
        expect(events[1]?.object).toEqual(changed);
        const { resourceVersion, ...last } = events[2]?.object.metadata ?? { resourceVersion: "0" };
        const { resourceVersion: before, ...rest } = changed.metadata;
        expect(last).toEqual(rest);
        expect(Number(resourceVersion)).toBeGreaterThan(Number(before));
      }
    },

    "objects in events carry their type, also those of built-in kinds": async ({ of }) => {
      using watching = await watchFromNow(of(ConfigMaps), "type");
      taken(await of(ConfigMaps).create(draft("type", "type")));
      const [event] = await watching.next(1);
      expect(event?.object).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
      expect(watching.headers["content-type"]).toBe("application/json");
    },

    "without a version the watch begins with what there is": async ({ of }) => {
      for (const name of ["existing-b", "existing-a"])
        taken(await of(ConfigMaps).create(draft(name, "existing")));
      using watching = await of(ConfigMaps).watch({ labelSelector: "set=existing" });
      expect((await watching.names(2)).sort()).toEqual(["ADDED existing-a", "ADDED existing-b"]);
      taken(await of(ConfigMaps).delete("existing-a"));
      expect(await watching.names(1)).toEqual(["DELETED existing-a"]);
    },

    "version 0 also begins with what there is": async ({ of }) => {
      taken(await of(ConfigMaps).create(draft("zero", "zero")));
      using watching = await of(ConfigMaps).watch({ labelSelector: "set=zero", resourceVersion: "0" });
      expect(await watching.names(1)).toEqual(["ADDED zero"]);
    },

    "a watch resumes after the version that it names": async ({ of }) => {
      const first = taken(await of(ConfigMaps).create(draft("resume-1", "resume")));
      taken(await of(ConfigMaps).create(draft("resume-2", "resume")));
      taken(await of(ConfigMaps).delete("resume-1"));
      using watching = await of(ConfigMaps).watch({
        labelSelector: "set=resume",
        resourceVersion: first.metadata.resourceVersion,
      });
      expect(await watching.names(2)).toEqual(["ADDED resume-2", "DELETED resume-1"]);
    },

    "what begins to match is added, what ceases to is deleted": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        using watching = await watchFromNow(things, "in");
        taken(await things.create(draft("moving", "out")));
        taken(await things.patch("moving", "merge", { metadata: { labels: { set: "in" } } }));
        taken(await things.patch("moving", "merge", { metadata: { labels: { x: "y" } } }));
        const left = taken(await things.patch("moving", "merge", { metadata: { labels: { set: "out" } } }));
        taken(await things.delete("moving"));
        taken(await things.create(draft("after", "in")));
        const events = await watching.next(4);
        expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
          "ADDED moving",
          "MODIFIED moving",
          "DELETED moving",
          "ADDED after",
        ]);
        expect(events[2]?.object.metadata.labels).toEqual({ set: "in", x: "y" });
        expect(events[2]?.object.metadata.resourceVersion).toBe(left.metadata.resourceVersion);
      }
    },

    "one object is watched by its name": async ({ of }) => {
      using watching = await of(ConfigMaps).watch({ fieldSelector: "metadata.name=one" });
      taken(await of(ConfigMaps).create(draft("other", "name")));
      taken(await of(ConfigMaps).create(draft("one", "name")));
      expect(await watching.names(1)).toEqual(["ADDED one"]);
    },

    "a watch of a namespace hears nothing of others; one of all hears both": async ({
      of,
      api,
      namespace,
    }) => {
      using here = await watchFromNow(of(ConfigMaps), "where");
      using everywhere = await watchFromNow(api.of(ConfigMaps), "where");
      taken(
        await api
          .of(ConfigMaps, "default")
          .create({ metadata: { name: namespace, labels: { set: "where" } } }),
      );
      taken(await api.of(ConfigMaps, "default").delete(namespace));
      taken(await of(ConfigMaps).create(draft("here", "where")));
      expect(await here.names(1)).toEqual(["ADDED here"]);
      expect(await everywhere.names(3)).toEqual([`ADDED ${namespace}`, `DELETED ${namespace}`, "ADDED here"]);
    },

    "a change that changes nothing is no event": async ({ of }) => {
      const made = taken(await of(ConfigMaps).create(draft("quiet", "quiet")));
      using watching = await watchFromNow(of(ConfigMaps), "quiet");
      taken(await of(ConfigMaps).replace(made));
      taken(await of(ConfigMaps).patch("quiet", "merge", { metadata: { labels: { set: "quiet" } } }));
      taken(await of(ConfigMaps).create(draft("loud", "quiet")));
      expect(await watching.names(1)).toEqual(["ADDED loud"]);
    },

    "a dry run is no event": async ({ of }) => {
      using watching = await watchFromNow(of(ConfigMaps), "dry");
      taken(await of(ConfigMaps).create(draft("dry", "dry"), { dryRun: "All" }));
      taken(await of(ConfigMaps).create(draft("wet", "dry")));
      taken(await of(ConfigMaps).delete("wet", { dryRun: ["All"] }));
      taken(await of(ConfigMaps).delete("wet"));
      expect(await watching.names(2)).toEqual(["ADDED wet", "DELETED wet"]);
    },

    "a deletion that waits for a finalizer is a change, then a deletion": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        using watching = await watchFromNow(things, "finalizer");
        const metadata = { name: "held", labels: { set: "finalizer" }, finalizers: ["example.com/hold"] };
        taken(await things.create({ metadata }));
        taken(await things.delete("held"));
        taken(await things.patch("held", "merge", { metadata: { finalizers: null } }));
        const events = await watching.next(3);
        expect(events.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
        expect(events[1]?.object.metadata).toHaveProperty("deletionTimestamp");
        expect(events[1]?.object.metadata.finalizers).toEqual(["example.com/hold"]);
        expect(events[2]?.object.metadata).toHaveProperty("deletionTimestamp");
      }
    },

    "an event of deletion shows what was stored last, not the change that let go": async ({
      of,
      widgets,
    }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        const metadata = { name: "let-go", labels: { set: "let-go" }, finalizers: ["example.com/hold"] };
        taken(await things.create({ metadata }));
        const marked = taken(await things.delete("let-go"));
        using watching = await watchFromNow(things, "let-go");
        const answer = taken(
          await things.patch("let-go", "merge", { metadata: { finalizers: null, annotations: { a: "1" } } }),
        );
        expect(answer.metadata).not.toHaveProperty("finalizers");
        const [event] = await watching.next(1);
        expect(event?.type).toBe("DELETED");
        expect(event?.object).toEqual({
          ...marked,
          metadata: { ...marked.metadata, resourceVersion: expect.any(String) },
        });
        expect(event?.object.metadata.resourceVersion).not.toBe(marked.metadata.resourceVersion);
      }
    },

    "a change of status is an event of the object": async ({ of, widgets }) => {
      taken(await of(widgets).create(draft("status", "status")));
      using watching = await watchFromNow(of(widgets), "status");
      taken(
        await of(widgets)
          .sub("status")
          .patch("status", "merge", { status: { phase: "Done" } }),
      );
      const [event] = await watching.next(1);
      expect(event).toMatchObject({ type: "MODIFIED", object: { status: { phase: "Done" } } });
    },

    "a streaming list sends what there is, then a bookmark that says so": async ({ of, widgets, api }) => {
      if (await withoutStreams(api)) return;
      for (const things of [of(ConfigMaps), of(widgets)]) {
        taken(await things.create(draft("stream-1", "stream")));
        const second = taken(await things.create(draft("stream-2", "stream")));
        const { watching, events } = await streamingList(things, "stream");
        using _ = watching;
        expect(events.map(({ type }) => type)).toEqual(["ADDED", "ADDED", "BOOKMARK"]);
        const { metadata, ...bookmark } = events[2]?.object ?? { metadata: undefined };
        expect(bookmark).toMatchObject({ kind: things.resource.kind });
        expect(metadata?.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
        expect(Number(metadata?.resourceVersion)).toBeGreaterThanOrEqual(
          Number(second.metadata.resourceVersion),
        );
        taken(await things.delete("stream-1"));
        expect(await nextChange(watching)).toBe("DELETED stream-1");
      }
    },

    "a streaming list says how versions match": async ({ of, api }) => {
      if (await withoutStreams(api)) return;
      refused(
        await of(ConfigMaps).list({ watch: true, sendInitialEvents: true, allowWatchBookmarks: true }),
        422,
        "Invalid",
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      );
    },

    "a watch without initial events does not take a way to match versions": async ({ of }) => {
      refused(
        await of(ConfigMaps).list({
          watch: true,
          resourceVersion: "1",
          resourceVersionMatch: "NotOlderThan",
        }),
        422,
        "Invalid",
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      );
    },

    "a watch ends when its time is over, without an error": async ({ of }) => {
      const query = { timeoutSeconds: 1, allowWatchBookmarks: true };
      taken(await of(ConfigMaps).create(draft("time", "time")));
      using watching = await watchFromNow(of(ConfigMaps), "time", query);
      const events = await watching.next(9);
      expect(events.length).toBeLessThan(9);
      expect(events.filter(({ type }) => type !== "BOOKMARK")).toEqual([]);
    },

    // A server remembers what came after it first listed a kind: of a built-in one that may be all there ever was.
    "a version that the server has forgotten is an error event of 410": async ({ of, widgets }) => {
      using watching = await of(widgets).watch({ resourceVersion: "1" });
      const events = await watching.next(2);
      expect(events).toEqual([
        {
          type: "ERROR",
          object: {
            kind: "Status",
            apiVersion: "v1",
            metadata: {},
            status: "Failure",
            message: expect.stringMatching(/^too old resource version: 1 \(\d+\)$/),
            reason: "Expired",
            code: 410,
          },
        },
      ]);
    },

    "a version that is no number is refused": async ({ of }) => {
      refused(
        await of(ConfigMaps).list({ watch: true, resourceVersion: "soon" }),
        500,
        undefined,
        'resourceVersion: Invalid value: "soon": strconv.ParseUint: parsing "soon": invalid syntax',
      );
    },

    "metadata alone can be watched": async ({ of }) => {
      taken(await of(ConfigMaps).create(draft("thin", "thin", { data: { a: "1" } })));
      using watching = await of(ConfigMaps).watch(
        { labelSelector: "set=thin" },
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
      );
      const [event] = await watching.next(1);
      expect(event?.object).toMatchObject({
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: { name: "thin" },
      });
      expect(event?.object).not.toHaveProperty("data");
    },

    "deleting a collection is an event for each": async ({ of }) => {
      for (const name of ["each-1", "each-2"]) taken(await of(ConfigMaps).create(draft(name, "each")));
      using watching = await watchFromNow(of(ConfigMaps), "each");
      taken(await of(ConfigMaps).deleteCollection({ labelSelector: "set=each" }));
      expect((await watching.names(2)).sort()).toEqual(["DELETED each-1", "DELETED each-2"]);
    },
  },
};
