import { expect } from "vitest";
import { ConfigMaps, Events, Namespaces, Pods, Secrets } from "../../src/kube/builtin.ts";
import type { Collection } from "./world/api.ts";
import { names, refused, taken } from "./world/expectations.ts";
import type { Run, Theme } from "./world/world.ts";

/** Three ConfigMaps that differ in their labels. */
async function prepare(things: Collection, set: string): Promise<void> {
  const labels = [{ tier: "front", env: "prod" }, { tier: "back", env: "test" }, { env: "" }];
  for (const [i, more] of labels.entries())
    taken(await things.create({ metadata: { name: `${set}-${i}`, labels: { set, ...more } } }));
}

/** Which of the three a selector finds. */
function finds(set: string, rows: Readonly<Record<string, readonly number[]>>): Run {
  return async ({ of }) => {
    await prepare(of(ConfigMaps), set);
    for (const [selector, found] of Object.entries(rows)) {
      const list = await of(ConfigMaps).list({ labelSelector: `set=${set},${selector}` });
      expect([selector, names(list)]).toEqual([selector, found.map((i) => `${set}-${i}`)]);
    }
  };
}

export const selectors: Theme = {
  name: "selectors",
  cases: {
    "labels are equal, in three ways of writing": finds("equal", {
      "tier=front": [0],
      "tier==front": [0],
      "tier = front": [0],
      "env=": [2],
    }),

    "a label that is not equal may be missing": finds("unequal", { "tier!=front": [1, 2], "env!=": [0, 1] }),

    "a label is in a set, or not": finds("sets", {
      "tier in (front,back)": [0, 1],
      "tier in (front)": [0],
      "tier notin (front)": [1, 2],
      "env in (,prod)": [0, 2],
    }),

    "a label exists, or does not": finds("exists", { tier: [0, 1], "!tier": [2], env: [0, 1, 2] }),

    "conditions are joined by commas": finds("joined", { "tier,env=prod": [0], "env!=prod,tier": [1] }),

    "a number is compared": finds("numbers", { "env>1": [], "tier<5": [] }),

    "a selector that cannot be read is refused": async ({ of }) => {
      refused(
        await of(ConfigMaps).list({ labelSelector: "a in b" }),
        400,
        "BadRequest",
        "unable to parse requirement: found 'b' expected: '('",
      );
      refused(
        await of(ConfigMaps).list({ labelSelector: "a=b=c" }),
        400,
        "BadRequest",
        "found '=', expected: ',' or 'end of string'",
      );
      refused(
        await of(ConfigMaps).list({ labelSelector: "a=not good" }),
        400,
        "BadRequest",
        "found 'good', expected: ',' or 'end of string'",
      );
      refused(
        await of(ConfigMaps).list({ labelSelector: "-a=b" }),
        400,
        "BadRequest",
        /^unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of alphanumeric/,
      );
    },

    "objects are selected by name and namespace": async ({ of, api, namespace }) => {
      await prepare(of(ConfigMaps), "field");
      const list = (fieldSelector: string) =>
        of(ConfigMaps).list({ fieldSelector, labelSelector: "set=field" });
      expect(names(await list("metadata.name=field-1"))).toEqual(["field-1"]);
      expect(names(await list("metadata.name!=field-1"))).toEqual(["field-0", "field-2"]);
      expect(names(await list(`metadata.namespace=${namespace},metadata.name==field-0`))).toEqual([
        "field-0",
      ]);
      expect(names(await list("metadata.namespace=elsewhere"))).toEqual([]);
      const everywhere = await api
        .of(ConfigMaps)
        .list({ fieldSelector: `metadata.namespace=${namespace}`, labelSelector: "set=field" });
      expect(names(everywhere)).toHaveLength(3);
    },

    "other fields are refused": async ({ of, widgets }) => {
      refused(
        await of(ConfigMaps).list({ fieldSelector: "data.a=1" }),
        400,
        "BadRequest",
        '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
      );
      refused(
        await of(widgets).list({ fieldSelector: "spec.size=1" }),
        400,
        "BadRequest",
        "field label not supported: spec.size",
      );
    },

    "a field selector that cannot be read is refused": async ({ of }) => {
      refused(
        await of(ConfigMaps).list({ fieldSelector: "metadata.name" }),
        400,
        "BadRequest",
        "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
      );
    },

    "Secrets are selected by type": async ({ of }) => {
      taken(
        await of(Secrets).create({
          metadata: { name: "typed", labels: { set: "typed" } },
          type: "example.com/x",
        }),
      );
      taken(await of(Secrets).create({ metadata: { name: "opaque", labels: { set: "typed" } } }));
      const list = (fieldSelector: string) => of(Secrets).list({ fieldSelector, labelSelector: "set=typed" });
      expect(names(await list("type=example.com/x"))).toEqual(["typed"]);
      expect(names(await list("type!=example.com/x"))).toEqual(["opaque"]);
    },

    "Events are selected by what they are about": async ({ of, namespace }) => {
      const involved = (name: string) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        namespace,
        name,
        uid: `uid-${name}`,
      });
      for (const name of ["one", "two"])
        taken(
          await of(Events).create({
            metadata: { name: `about-${name}` },
            involvedObject: involved(name),
            reason: "Because",
            message: "so",
            type: "Normal",
          }),
          201,
        );
      const fieldSelector =
        "involvedObject.kind=ConfigMap,involvedObject.name=one,involvedObject.uid=uid-one";
      expect(names(await of(Events).list({ fieldSelector }))).toEqual(["about-one"]);
      expect(names(await of(Events).list({ fieldSelector: "reason=Because,type=Normal" }))).toEqual([
        "about-one",
        "about-two",
      ]);
    },

    "Namespaces are selected by phase": async ({ api, namespace }) => {
      const list = (fieldSelector: string) => api.of(Namespaces).list({ fieldSelector });
      expect(names(await list(`metadata.name=${namespace},status.phase=Active`))).toEqual([namespace]);
      expect(names(await list(`metadata.name=${namespace},status.phase=Terminating`))).toEqual([]);
    },

    "Pods are selected by node and phase": async ({ of }) => {
      const spec = { nodeName: "nowhere", containers: [{ name: "c", image: "none" }] };
      taken(await of(Pods).create({ metadata: { name: "placed", labels: { set: "pods" } }, spec }), 201);
      const list = (fieldSelector: string) => of(Pods).list({ fieldSelector, labelSelector: "set=pods" });
      expect(names(await list("spec.nodeName=nowhere"))).toEqual(["placed"]);
      expect(names(await list("spec.nodeName="))).toEqual([]);
      expect(names(await list("status.phase=Pending,spec.restartPolicy=Always"))).toEqual(["placed"]);
      expect(names(await list("status.phase!=Pending"))).toEqual([]);
      taken(await of(Pods).delete("placed", { gracePeriodSeconds: 0 }));
    },
  },
};
