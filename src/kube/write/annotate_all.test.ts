import { expect, test } from "vitest";
import { ConfigMaps } from "../builtin.ts";
import type { Client } from "../client.ts";
import type { MetadataOnly } from "../object.ts";
import { annotateAll } from "./annotate_all.ts";

const annotation = { resource: ConfigMaps, name: "example.org/kept", value: "true" };

/** Objects by name; `onPatch` sees each that is annotated. */
function ground(names: readonly string[], onPatch: (objects: Map<string, boolean>) => void = () => {}) {
  const objects = new Map(names.map((name) => [name, false]));
  const found = ([name, kept]: [string, boolean]) => ({
    metadata: { name, annotations: kept ? { [annotation.name]: annotation.value } : {} },
  });
  const client = {
    metadata: {
      async *pages() {
        yield { items: [...objects].map(found) };
      },
    },
    patch: async (_: unknown, { name }: MetadataOnly["metadata"]) => {
      objects.set(name, true);
      onPatch(objects);
    },
  } as unknown as Client;
  return { client, objects };
}

test("annotateAll() annotates also what is made while it does so, and says how many did not have it", async () => {
  const { client, objects } = ground(["a", "b"], (objects) => {
    if (!objects.has("late")) objects.set("late", false);
  });
  expect(await annotateAll(client, annotation)).toBe(3);
  expect(Object.fromEntries(objects)).toEqual({ a: true, b: true, late: true });
  expect(await annotateAll(client, annotation)).toBe(0);
});

test("annotateAll() gives up on objects that lose it again", async () => {
  const { client } = ground(["a"], (objects) => objects.set("a", false));
  await expect(annotateAll(client, annotation)).rejects.toThrow(
    "after 100 looks there still are configmaps without the annotation example.org/kept: somebody makes new ones, or takes it off, as fast as it is put there",
  );
});
