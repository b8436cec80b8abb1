import fc from "fast-check";
import { expect, test } from "vitest";
import { type KubeObject, keyOf } from "../object.ts";
import { ObjectStore } from "./object_store.ts";

interface Filed extends KubeObject {
  readonly under: readonly string[];
}

test("whatever is put in, changed and removed, an index gives what is filed under a value now", () => {
  const name = fc.constantFrom("a", "b", "c");
  const under = fc.uniqueArray(fc.constantFrom("x", "y", "z"));
  const step = fc.record({ name, under: fc.option(under), uid: fc.constantFrom("1", "2") });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const store = new ObjectStore<Filed>();
      store.addIndex("under", (object) => object.under);
      const truth = new Map<string, readonly string[]>();
      for (const [i, { name, under, uid }] of steps.entries()) {
        const metadata = { name, uid, resourceVersion: String(i), creationTimestamp: "" };
        if (under === null) store.remove(keyOf({ name }));
        else store.upsert({ apiVersion: "v1", kind: "Filed", metadata, under });
        if (under === null) truth.delete(name);
        else truth.set(name, under);
        for (const value of ["x", "y", "z"]) {
          const found = store.indexed("under", value).map((object) => object.metadata.name);
          const there = [...truth].filter(([, values]) => values.includes(value)).map(([name]) => name);
          expect(found.toSorted()).toEqual(there.toSorted());
        }
      }
    }),
  );
});

test("an object that was never filed under a value takes no other from there", () => {
  const store = new ObjectStore<Filed>();
  let first: readonly string[] = [];
  store.addIndex("under", (object) => (object.metadata.name === "a" ? first : object.under));
  const filed = (name: string): Filed => {
    const metadata = { name, uid: name, resourceVersion: "1", creationTimestamp: "" };
    return { apiVersion: "v1", kind: "Filed", metadata, under: ["x"] };
  };
  store.upsert(filed("a"));
  store.upsert(filed("b"));
  first = ["x"];
  store.remove(keyOf({ name: "a" }));
  expect(store.indexed("under", "x").map(({ metadata }) => metadata.name)).toEqual(["b"]);
});
