import fc from "fast-check";
import { expect, test } from "vitest";
import { type KubeObject, keyOf } from "../object.ts";
import { ObjectStore, type StoreFault } from "./object_store.ts";

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

test("what an index or a handler throws is told, and keeps no object from the others", () => {
  const faults: StoreFault[] = [];
  const store = new ObjectStore<Filed>((fault) => faults.push(fault));
  const refused = new Error("b is not read here");
  const unlessB = <R>(name: string, result: R): R => {
    if (name === "b") throw refused;
    return result;
  };
  const filed = (name: string, resourceVersion: string): Filed => {
    const metadata = { name, uid: name, resourceVersion, creationTimestamp: "" };
    return { apiVersion: "v1", kind: "Filed", metadata, under: [`x${resourceVersion}`] };
  };
  store.addIndex("bad", ({ metadata, under }) => unlessB(metadata.name, under));
  store.addIndex("good", ({ under }) => under);
  const seen: string[] = [];
  store.onChange(({ key }) => unlessB(key, undefined));
  store.onChange(({ type, key }) => seen.push(`${type} ${key}`));
  const all = ["a", "b", "c"].map((name) => filed(name, "1"));
  store.replace(new Map(all.map((object) => [keyOf(object), object])));
  expect(seen).toEqual(["added a", "added b", "added c"]);
  const key = keyOf({ name: "b" });
  expect(faults).toEqual([
    { key, error: refused, index: "bad" },
    { key, error: refused },
  ]);
  const names = (index: string, value: string) =>
    store.indexed(index, value).map(({ metadata }) => metadata.name);
  expect([names("bad", "x1"), names("good", "x1")]).toEqual([
    ["a", "c"],
    ["a", "b", "c"],
  ]);
  store.upsert(filed("b", "2"));
  expect([names("bad", "x2"), names("good", "x2"), names("good", "x1")]).toEqual([[], ["b"], ["a", "c"]]);
  store.remove(key);
  expect(seen.slice(3)).toEqual(["updated b", "removed b"]);
  expect(names("good", "x2")).toEqual([]);
  store.upsert(filed("b", "3"));
  const late: string[] = [];
  store.onChange((change) => late.push(unlessB(change.key, change.key)));
  expect(late).toEqual(["a", "c"]);
});
