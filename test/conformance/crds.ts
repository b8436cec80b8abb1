import { expect } from "vitest";
import { CustomResourceDefinitions } from "../../src/kube/builtin.ts";
import type { Structural } from "../../src/kube/schema/structural.ts";
import { type Api, eventually } from "./world/api.ts";
import { condition, names, refused, taken } from "./world/expectations.ts";
import { plainCrd } from "./world/plain_crd.ts";
import type { Theme } from "./world/world.ts";

const anything: Structural = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const withSpec = (properties: Record<string, Structural>): Structural => ({
  type: "object",
  properties: { spec: { type: "object", properties } },
});

const discovered = async (
  api: Api,
  group: string,
  version: string,
): Promise<readonly Record<string, unknown>[]> =>
  ((await api.send("GET", `/apis/${group}/${version}`)).body.resources ?? []) as Record<string, unknown>[];

export const crds: Theme = {
  name: "crds",
  last: true,
  cases: {
    "a definition is accepted, established and then served": async ({ of, api, group, install }) => {
      const things = await install(plainCrd(group, "Accepted", anything));
      const crd = taken(await api.of(CustomResourceDefinitions).get(`accepteds.${group}`));
      expect(condition(crd, "NamesAccepted")).toMatchObject({
        status: "True",
        reason: "NoConflicts",
        message: "no conflicts found",
      });
      expect(condition(crd, "Established")).toMatchObject({
        status: "True",
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      });
      expect(crd.status).toMatchObject({
        acceptedNames: {
          kind: "Accepted",
          listKind: "AcceptedList",
          plural: "accepteds",
          singular: "accepted",
        },
        storedVersions: ["v1"],
      });
      expect(crd.metadata.generation).toBe(1);
      taken(await of(things).create({ metadata: { name: "one" }, any: 1 }), 201);
    },

    "names, conversion and listKind have defaults": async ({ api, group, unique }) => {
      const name = unique("default").replaceAll("-", "");
      const answer = await api.of(CustomResourceDefinitions).create(
        {
          metadata: { name: `${name}s.${group}` },
          spec: {
            group,
            scope: "Namespaced",
            names: { kind: "Defaulted", plural: `${name}s` },
            versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: anything } }],
          },
        },
        { dryRun: "All" },
      );
      expect(taken(answer, 201).spec).toMatchObject({
        conversion: { strategy: "None" },
        names: { kind: "Defaulted", listKind: "DefaultedList", plural: `${name}s`, singular: "defaulted" },
      });
    },

    "the name is the plural and the group": async ({ api, group }) => {
      const crd = plainCrd(group, "Misnamed", anything);
      refused(
        await api.of(CustomResourceDefinitions).create({ ...crd, metadata: { name: "wrong" } }),
        422,
        "Invalid",
        `CustomResourceDefinition.apiextensions.k8s.io "wrong" is invalid: metadata.name: Invalid value: "wrong": must be spec.names.plural+"."+spec.group`,
      );
    },

    "exactly one version is stored": async ({ api, group }) => {
      const crd = plainCrd(group, "Unstored", anything, { storage: false });
      refused(
        await api.of(CustomResourceDefinitions).create(crd),
        422,
        "Invalid",
        /spec.versions: Invalid value: .*: must have exactly one version marked as storage version/,
      );
    },

    "a schema must be structural": async ({ api, group }) => {
      const schema = withSpec({ a: {} as Structural });
      refused(
        await api.of(CustomResourceDefinitions).create(plainCrd(group, "Shapeless", schema)),
        422,
        "Invalid",
        `CustomResourceDefinition.apiextensions.k8s.io "shapelesss.${group}" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Required value: must not be empty for specified object fields`,
      );
    },

    "a schema is required": async ({ api, group }) => {
      const crd = plainCrd(group, "Schemaless", anything);
      const versions = [{ name: "v1", served: true, storage: true }];
      refused(
        await api.of(CustomResourceDefinitions).create({ ...crd, spec: { ...crd.spec, versions } }),
        422,
        "Invalid",
        `CustomResourceDefinition.apiextensions.k8s.io "schemalesss.${group}" is invalid: spec.versions[0].schema.openAPIV3Schema: Required value`,
      );
    },

    "a default must fit its schema": async ({ api, group }) => {
      const schema = withSpec({ a: { type: "integer", default: "x" } });
      const answer = await api.of(CustomResourceDefinitions).create(plainCrd(group, "Unfit", schema));
      refused(
        answer,
        422,
        "Invalid",
        /properties\[spec\].properties\[a\].default: Invalid value: "string": .*must be of type integer: "string"/,
      );
    },

    "discovery shows the resource, its names, verbs and subresources": async ({ api, group, install }) => {
      const crd = plainCrd(group, "Shown", withSpec({ n: { type: "integer" } }), {
        subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
      });
      await install({
        ...crd,
        spec: { ...crd.spec, names: { ...crd.spec.names, shortNames: ["shw"], categories: ["all-shown"] } },
      });
      const resources = await eventually("discovery has it", async () => {
        const value = (await discovered(api, group, "v1")).filter(({ name }) =>
          String(name).startsWith("showns"),
        );
        return { done: value.length === 3, value };
      });
      expect(resources).toEqual([
        {
          name: "showns",
          singularName: "shown",
          namespaced: true,
          kind: "Shown",
          verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
          shortNames: ["shw"],
          categories: ["all-shown"],
          storageVersionHash: expect.any(String),
        },
        {
          name: "showns/status",
          singularName: "",
          namespaced: true,
          kind: "Shown",
          verbs: ["get", "patch", "update"],
        },
        {
          name: "showns/scale",
          singularName: "",
          namespaced: true,
          group: "autoscaling",
          version: "v1",
          kind: "Scale",
          verbs: ["get", "patch", "update"],
        },
      ]);
    },

    "an object is served in every version, under that version's name": async ({ of, group, install }) => {
      const crd = plainCrd(group, "Versioned", withSpec({ a: { type: "string" } }));
      const [first] = crd.spec.versions;
      if (!first) throw new Error("a version");
      const versions = [
        first,
        { ...first, name: "v2", storage: false },
        { ...first, name: "v3", served: false, storage: false },
      ];
      const one = await install({ ...crd, spec: { ...crd.spec, versions } });
      const two = { ...one, version: "v2" };
      taken(await of(one).create({ metadata: { name: "x" }, spec: { a: "1" } }), 201);
      const seen = taken(await of(two).get("x"), 200);
      expect(seen).toMatchObject({ apiVersion: `${group}/v2`, kind: "Versioned", spec: { a: "1" } });
      taken(await of(two).patch("x", "merge", { spec: { a: "2" } }));
      expect(taken(await of(one).get("x"))).toMatchObject({ apiVersion: `${group}/v1`, spec: { a: "2" } });
      const unserved = await of({ ...one, version: "v3" }).get("x");
      expect([unserved.code, unserved.text]).toEqual([404, "404 page not found\n"]);
    },

    "an object of another version is refused": async ({ of, api, widgets, group }) => {
      const answer = await api.send("POST", of(widgets).path(), {
        body: { apiVersion: `${group}/v7`, kind: "Widget", metadata: { name: "v7" } },
      });
      refused(
        answer,
        400,
        "BadRequest",
        `the API version in the data (${group}/v7) does not match the expected API version (${group}/v1)`,
      );
    },

    "a kind of the whole cluster has no namespace": async ({ api, group, install }) => {
      const crd = plainCrd(group, "Global", anything);
      const things = api.of(await install({ ...crd, spec: { ...crd.spec, scope: "Cluster" } }));
      const made = taken(await things.create({ metadata: { name: "one" } }), 201);
      expect(made.metadata).not.toHaveProperty("namespace");
      expect(things.path("one")).toBe(`/apis/${group}/v1/globals/one`);
      expect(names(await things.list())).toEqual(["one"]);
    },

    "names that another kind has are not accepted": async ({ api, group, install }) => {
      await install(plainCrd(group, "Rival", anything));
      const crd = plainCrd(group, "Rival", anything);
      const metadata = { name: `rivals2.${group}` };
      const crds = api.of(CustomResourceDefinitions);
      const names = { ...crd.spec.names, plural: "rivals2", singular: "rival2", listKind: "Rival2List" };
      taken(await crds.create({ ...crd, metadata, spec: { ...crd.spec, names } }), 201);
      const second = await crds.until(metadata.name, (o) => condition(o, "NamesAccepted") !== undefined);
      expect(condition(second, "NamesAccepted")).toMatchObject({
        status: "False",
        reason: "KindConflict",
        message: '"Rival" is already in use',
      });
      expect(condition(second, "Established")).toMatchObject({
        status: "False",
        reason: "NotAccepted",
        message: "not all names are accepted",
      });
      taken(await crds.delete(metadata.name));
    },

    "a deleted definition takes its objects along": async ({ of, api, group, install }) => {
      const things = await install(plainCrd(group, "Doomed", anything));
      taken(await of(things).create({ metadata: { name: "one" } }));
      const crds = api.of(CustomResourceDefinitions);
      const deleted = taken(await crds.delete(`doomeds.${group}`), 200);
      expect(deleted.metadata.finalizers).toEqual(["customresourcecleanup.apiextensions.k8s.io"]);
      await crds.untilGone(`doomeds.${group}`);
      await eventually("the path is gone", async () => {
        const { code } = await of(things).list();
        return { done: code === 404, value: code };
      });
      taken(await crds.create(plainCrd(group, "Doomed", anything)), 201);
      const list = await eventually("the kind is back", async () => {
        const value = await of(things).list();
        return { done: value.code === 200, value };
      });
      expect(names(list)).toEqual([]);
    },

    "a deletion waits for finalizers of its objects": async ({ of, api, group, install }) => {
      const things = of(await install(plainCrd(group, "Held", anything)));
      taken(await things.create({ metadata: { name: "one", finalizers: ["example.com/hold"] } }));
      const crds = api.of(CustomResourceDefinitions);
      taken(await crds.delete(`helds.${group}`), 200);
      await things.until("one", (o) => o.metadata.deletionTimestamp !== undefined);
      const waiting = await crds.until(`helds.${group}`, (o) => condition(o, "Terminating") !== undefined);
      expect(condition(waiting, "Terminating")?.status).toBe("True");
      taken(await things.patch("one", "merge", { metadata: { finalizers: null } }));
      await crds.untilGone(`helds.${group}`);
    },

    "scope and group do not change": async ({ api, group, install }) => {
      await install(plainCrd(group, "Settled", anything));
      refused(
        await api
          .of(CustomResourceDefinitions)
          .patch(`settleds.${group}`, "merge", { spec: { scope: "Cluster" } }),
        422,
        "Invalid",
        `CustomResourceDefinition.apiextensions.k8s.io "settleds.${group}" is invalid: spec.scope: Invalid value: "Cluster": field is immutable`,
      );
    },

    "fields that are declared selectable can be selected": async ({ of, group, install }) => {
      const crd = plainCrd(group, "Select", withSpec({ color: { type: "string" } }), {
        selectableFields: [{ jsonPath: ".spec.color" }],
      } as object);
      const things = of(await install(crd));
      for (const color of ["red", "blue"])
        taken(await things.create({ metadata: { name: color }, spec: { color } }));
      expect(names(await things.list({ fieldSelector: "spec.color=red" }))).toEqual(["red"]);
      expect(names(await things.list({ fieldSelector: "spec.color!=red" }))).toEqual(["blue"]);
    },
  },
};
