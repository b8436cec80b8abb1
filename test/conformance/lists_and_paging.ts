import { expect } from "vitest";
import { ConfigMaps, Namespaces, Secrets } from "../../src/kube/builtin.ts";
import type { Collection } from "./world/api.ts";
import { names, refused, taken } from "./world/expectations.ts";
import type { Theme } from "./world/world.ts";

/** Objects with a label of their own, so that cases do not see each other's. */
async function several(things: Collection, set: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++)
    taken(await things.create({ metadata: { name: `${set}-${i}`, labels: { set } } }), 201);
}

export const listsAndPaging: Theme = {
  name: "lists and paging",
  cases: {
    "a list has a kind, a version and its items; those of built-in kinds are untyped": async ({ of }) => {
      await several(of(ConfigMaps), "typed", 1);
      const list = taken(await of(ConfigMaps).list({ labelSelector: "set=typed" }), 200);
      expect(list).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" });
      expect(list.metadata).toEqual({ resourceVersion: expect.stringMatching(/^\d+$/) });
      expect(list.items).toHaveLength(1);
      expect(list.items[0]).not.toHaveProperty("kind");
      expect(list.items[0]).not.toHaveProperty("apiVersion");
    },

    "items of custom kinds carry their type": async ({ of, widgets, group }) => {
      await several(of(widgets), "typed", 1);
      const list = taken(await of(widgets).list({ labelSelector: "set=typed" }), 200);
      expect(list).toMatchObject({ kind: "WidgetList", apiVersion: `${group}/v1` });
      expect(list.metadata).toEqual({ continue: "", resourceVersion: expect.stringMatching(/^\d+$/) });
      expect(list.items[0]).toMatchObject({ kind: "Widget", apiVersion: `${group}/v1` });
    },

    "an empty list has empty items": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)])
        expect(taken(await things.list({ labelSelector: "set=none" }), 200).items).toEqual([]);
    },

    "a namespace that is not there lists nothing": async ({ api }) => {
      expect(names(await api.of(ConfigMaps, "no-such-place").list())).toEqual([]);
    },

    "items come in the order of their names": async ({ of }) => {
      for (const name of ["order-b", "order-c", "order-a", "order-aa", "order-a.b"])
        taken(await of(ConfigMaps).create({ metadata: { name, labels: { set: "order" } } }));
      expect(names(await of(ConfigMaps).list({ labelSelector: "set=order" }))).toEqual([
        "order-a",
        "order-a.b",
        "order-aa",
        "order-b",
        "order-c",
      ]);
    },

    "a list over all namespaces is ordered by namespace, then name": async ({ of, api, unique }) => {
      const [one, two] = [unique("a-list"), unique("b-list")];
      for (const name of [two, one]) {
        taken(await api.of(Namespaces).create({ metadata: { name } }));
        for (const object of ["y", "x"])
          taken(await api.of(ConfigMaps, name).create({ metadata: { name: object, labels: { set: one } } }));
      }
      const list = taken(await api.of(ConfigMaps).list({ labelSelector: `set=${one}` }));
      expect(list.items.map((o) => `${o.metadata.namespace}/${o.metadata.name}`)).toEqual([
        `${one}/x`,
        `${one}/y`,
        `${two}/x`,
        `${two}/y`,
      ]);
      for (const name of [one, two]) taken(await api.of(Namespaces).delete(name));
      expect(names(await of(ConfigMaps).list({ labelSelector: `set=${one}` }))).toEqual([]);
    },

    "a limit gives a page, the number that is left, and where to go on": async ({ api, unique }) => {
      const namespace = unique("pages");
      taken(await api.of(Namespaces).create({ metadata: { name: namespace } }));
      const things = api.of(Secrets, namespace);
      await several(things, "page", 5);
      const first = taken(await things.list({ limit: 2 }), 200);
      expect(first.items.map((o) => o.metadata.name)).toEqual(["page-0", "page-1"]);
      expect(first.metadata.remainingItemCount).toBe(3);
      expect(first.metadata.continue).toMatch(/./);
      const second = taken(await things.list({ limit: 2, continue: first.metadata.continue ?? "" }), 200);
      expect(second.items.map((o) => o.metadata.name)).toEqual(["page-2", "page-3"]);
      expect(second.metadata.remainingItemCount).toBe(1);
      const last = taken(await things.list({ limit: 2, continue: second.metadata.continue ?? "" }), 200);
      expect(last.items.map((o) => o.metadata.name)).toEqual(["page-4"]);
      expect(last.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
      taken(await api.of(Namespaces).delete(namespace));
    },

    "the pages show one moment, whatever happens between them": async ({ of }) => {
      const things = of(ConfigMaps);
      await several(things, "moment", 4);
      const first = taken(await things.list({ limit: 2, labelSelector: "set=moment" }));
      taken(await things.delete("moment-3"));
      taken(await things.patch("moment-2", "merge", { data: { late: "1" } }));
      taken(await things.create({ metadata: { name: "moment-22", labels: { set: "moment" } } }));
      const rest = taken(
        await things.list({ limit: 9, labelSelector: "set=moment", continue: first.metadata.continue ?? "" }),
      );
      expect(rest.items.map((o) => o.metadata.name)).toEqual(["moment-2", "moment-3"]);
      expect(rest.items[0]).not.toHaveProperty("data");
      expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    },

    "with a selector the server does not say how many are left": async ({ of }) => {
      await several(of(ConfigMaps), "unsaid", 3);
      const page = taken(await of(ConfigMaps).list({ limit: 1, labelSelector: "set=unsaid" }));
      expect(page.metadata.continue).toMatch(/./);
      expect(page.metadata).not.toHaveProperty("remainingItemCount");
    },

    "a limit that is not reached gives no continuation": async ({ of }) => {
      await several(of(ConfigMaps), "enough", 2);
      const page = taken(await of(ConfigMaps).list({ limit: 3, labelSelector: "set=enough" }));
      expect(page.items).toHaveLength(2);
      expect(page.metadata.continue ?? "").toBe("");
    },

    "a continuation that the server did not give is refused": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)])
        refused(
          await things.list({ continue: "nonsense" }),
          400,
          "BadRequest",
          /^invalid continue token: continue key is not valid: /,
        );
    },

    "a continuation takes no version beside it": async ({ of }) => {
      await several(of(ConfigMaps), "beside", 2);
      const page = taken(await of(ConfigMaps).list({ limit: 1, labelSelector: "set=beside" }));
      refused(
        await of(ConfigMaps).list({
          limit: 1,
          continue: page.metadata.continue ?? "",
          resourceVersion: page.metadata.resourceVersion,
        }),
        400,
        "BadRequest",
        "specifying resource version is not allowed when using continue",
      );
    },

    "a limit must be a number": async ({ of }) => {
      refused(
        await of(ConfigMaps).list({ limit: "many" }),
        400,
        "BadRequest",
        'strconv.ParseInt: parsing "many": invalid syntax',
      );
    },

    "a list at an exact version shows the past": async ({ of }) => {
      const things = of(ConfigMaps);
      await several(things, "past", 2);
      const now = taken(await things.list({ labelSelector: "set=past" }));
      taken(await things.delete("past-0"));
      taken(await things.create({ metadata: { name: "past-9", labels: { set: "past" } } }));
      const then = await things.list({
        labelSelector: "set=past",
        resourceVersion: now.metadata.resourceVersion,
        resourceVersionMatch: "Exact",
      });
      expect(names(then)).toEqual(["past-0", "past-1"]);
      expect(then.body.metadata.resourceVersion).toBe(now.metadata.resourceVersion);
    },

    "a list not older than a version has at least that": async ({ of }) => {
      const made = taken(
        await of(ConfigMaps).create({ metadata: { name: "fresh", labels: { set: "fresh" } } }),
      );
      const list = await of(ConfigMaps).list({
        labelSelector: "set=fresh",
        resourceVersion: made.metadata.resourceVersion,
        resourceVersionMatch: "NotOlderThan",
      });
      expect(names(list)).toEqual(["fresh"]);
    },

    "a way to match versions needs a version": async ({ of }) => {
      refused(
        await of(ConfigMaps).list({ resourceVersionMatch: "Exact" }),
        422,
        "Invalid",
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      );
      refused(
        await of(ConfigMaps).list({ resourceVersion: "1", resourceVersionMatch: "Nearly" }),
        422,
        "Invalid",
        /^ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Nearly": supported values: "Exact", "NotOlderThan"/,
      );
    },

    "a version is a number": async ({ of }) => {
      refused(
        await of(ConfigMaps).list({ resourceVersion: "soon", resourceVersionMatch: "NotOlderThan" }),
        400,
        "BadRequest",
        'invalid resource version: resourceVersion: Invalid value: "soon": strconv.ParseUint: parsing "soon": invalid syntax',
      );
    },

    "a version of the future is waited for, then refused": async ({ of }) => {
      const answer = await of(ConfigMaps).list({ resourceVersion: "999999999999" });
      refused(answer, 504, "Timeout", /^Timeout: Too large resource version: 999999999999, current: \d+$/);
      expect(answer.body.details).toEqual({
        causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
        retryAfterSeconds: 1,
      });
    },

    "metadata alone can be listed": async ({ of }) => {
      taken(
        await of(ConfigMaps).create({
          metadata: { name: "thin", labels: { set: "thin" } },
          data: { a: "1" },
        }),
      );
      const answer = await of(ConfigMaps).list(
        { labelSelector: "set=thin" },
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
      );
      const list = taken(answer, 200);
      expect(list).toMatchObject({ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1" });
      expect(list.items).toHaveLength(1);
      expect(list.items[0]).toMatchObject({ metadata: { name: "thin" } });
      expect(list.items[0]).not.toHaveProperty("data");
    },

    "a list can be a table": async ({ of }) => {
      taken(
        await of(ConfigMaps).create({ metadata: { name: "row", labels: { set: "row" } }, data: { a: "1" } }),
      );
      const table = taken(
        await of(ConfigMaps).list(
          { labelSelector: "set=row" },
          "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
        ),
        200,
      ) as unknown as {
        kind: string;
        apiVersion: string;
        columnDefinitions: { name: string; type: string }[];
        rows: { cells: unknown[]; object: object }[];
      };
      expect(table).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
      expect(table.columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Data", "Age"]);
      expect(table.rows).toHaveLength(1);
      expect(table.rows[0]?.cells).toEqual(["row", 1, expect.stringMatching(/^\d+s$/)]);
      expect(table.rows[0]?.object).toMatchObject({
        kind: "PartialObjectMetadata",
        metadata: { name: "row" },
      });
    },

    "the table of a custom kind has its printer columns": async ({ of, widgets }) => {
      taken(
        await of(widgets).create({ metadata: { name: "row", labels: { set: "row" } }, spec: { size: 7 } }),
      );
      const table = taken(
        await of(widgets).list({ labelSelector: "set=row" }, "application/json;as=Table;v=v1;g=meta.k8s.io"),
        200,
      ) as unknown as {
        columnDefinitions: { name: string; priority: number }[];
        rows: { cells: unknown[] }[];
      };
      expect(table.columnDefinitions.map(({ name, priority }) => [name, priority])).toEqual([
        ["Name", 0],
        ["Size", 0],
        ["Color", 1],
      ]);
      expect(table.rows.map(({ cells }) => cells)).toEqual([["row", 7, null]]);
    },

    "a collection is deleted by selector, and the answer lists what went": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        await several(things, "go", 2);
        await several(things, "stay", 1);
        const answer = taken(await things.deleteCollection({ labelSelector: "set=go" }), 200);
        expect(answer.kind).toBe(`${things.resource.kind}List`);
        expect(answer.items.map((o) => o.metadata.name)).toEqual(["go-0", "go-1"]);
        expect(answer.items[0]?.metadata).not.toHaveProperty("deletionTimestamp");
        expect(names(await things.list({ labelSelector: "set in (go,stay)" }))).toEqual(["stay-0"]);
      }
    },
  },
};
