import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { MemoryStore } from "../store/memory_store.ts";
import type { Store, Stored } from "../store/store.ts";
import { sample, sampleKey } from "../store/testing/sample.ts";
import { type ListPage, type ListRequest, listPage } from "./list.ts";

let store: Store;

async function put(name: string, value = "1"): Promise<Stored> {
  const key = sampleKey(name);
  return store.put(key, sample(key, value), store.get(key)?.metadata.resourceVersion);
}

async function remove(name: string): Promise<void> {
  const object = store.get(sampleKey(name));
  if (object) await store.delete(sampleKey(name), object, object.metadata.resourceVersion);
}

const list = (options: Partial<ListRequest> = {}) => listPage({ store, resource: "configmaps", ...options });
const namesIn = (page: ListPage) => page.items.map((object) => object.metadata.name);

/** The error of the list, as its answer has it. */
function refused(options: Partial<ListRequest>): unknown {
  try {
    return list(options);
  } catch (error) {
    return (error as { status: unknown }).status;
  }
}

beforeEach(async () => {
  store = new MemoryStore({ clock: new VirtualClock() });
  for (const name of ["a", "b", "c", "d", "e"]) await put(name);
});

test("a list without a limit has everything, at the newest revision", () => {
  const page = list();
  expect(namesIn(page)).toEqual(["a", "b", "c", "d", "e"]);
  expect(page.metadata).toEqual({ resourceVersion: String(store.revision) });
});

test("pages show the state of the first one, whatever happens in between", async () => {
  const first = list({ limit: 2 });
  expect(first.metadata.remainingItemCount).toBe(3);
  await remove("d");
  await put("c", "changed");
  await put("bb");
  await remove("a");
  await put("a", "again");
  const second = list({ limit: 2, continue: first.metadata.continue });
  const third = list({ limit: 2, continue: second.metadata.continue });
  expect([first, second, third].map(namesIn)).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  expect(second.items[0]).toMatchObject({ data: { value: "1" } });
  expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  expect(third.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
  expect(namesIn(list())).toEqual(["a", "b", "bb", "c", "e"]);
});

test("a page of what is selected is full, and does not say how many remain", () => {
  const matches = (object: Stored) => object.metadata.name !== "b";
  const page = list({ limit: 2, matches });
  expect(namesIn(page)).toEqual(["a", "c"]);
  expect(page.metadata.remainingItemCount).toBeUndefined();
  expect(namesIn(list({ limit: 9, matches, continue: page.metadata.continue }))).toEqual(["d", "e"]);
});

test("a list that is forgotten does not go on", async () => {
  const { metadata } = list({ limit: 2 });
  await remove("c");
  store.compact(store.revision);
  expect(refused({ limit: 1, continue: metadata.continue })).toMatchObject({
    code: 410,
    reason: "Expired",
    message: expect.stringContaining("The provided continue parameter is too old"),
  });
});

test("an exact version is shown as it was; a limit alone makes it exact", async () => {
  const version = String(store.revision);
  await remove("a");
  await put("f");
  const exact = { resourceVersion: version, resourceVersionMatch: "Exact" };
  expect(namesIn(list(exact))).toEqual(["a", "b", "c", "d", "e"]);
  expect(list(exact).metadata.resourceVersion).toBe(version);
  expect(namesIn(list({ resourceVersion: version, limit: 1 }))).toEqual(["a"]);
  expect(namesIn(list({ resourceVersion: version }))).toEqual(["b", "c", "d", "e", "f"]);
  expect(namesIn(list({ ...exact, resourceVersionMatch: "NotOlderThan", limit: 1 }))).toEqual(["b"]);
  store.compact(store.revision);
  expect(refused(exact)).toMatchObject({
    code: 410,
    message: "The resourceVersion for the provided list is too old.",
  });
});

test("version 0 is whatever there is, and knows no limit", () => {
  expect(namesIn(list({ resourceVersion: "0", limit: 2 }))).toHaveLength(5);
});

test("a version that is not here yet is a timeout", () => {
  expect(refused({ resourceVersion: "99999" })).toMatchObject({
    code: 504,
    reason: "Timeout",
    message: `Timeout: Too large resource version: 99999, current: ${store.revision}`,
    details: { causes: [{ reason: "ResourceVersionTooLarge" }], retryAfterSeconds: 1 },
  });
});

const TOKEN = () => list({ limit: 1 }).metadata.continue;

test.each<[string, () => Partial<ListRequest>, number, string]>([
  [
    "a version that is no number",
    () => ({ resourceVersion: "abc" }),
    400,
    'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
  ],
  [
    "a token and a version",
    () => ({ continue: TOKEN(), resourceVersion: "5" }),
    400,
    "specifying resource version is not allowed when using continue",
  ],
  [
    "a token of one's own making",
    () => ({ continue: "abc" }),
    400,
    "invalid continue token: continue key is not valid",
  ],
  [
    "a token without a place",
    () => ({ continue: Buffer.from("{}").toString("base64url") }),
    400,
    "invalid continue token",
  ],
  [
    "a match without a version",
    () => ({ resourceVersionMatch: "Exact" }),
    422,
    'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
  ],
  [
    "an exact 0",
    () => ({ resourceVersion: "0", resourceVersionMatch: "Exact" }),
    422,
    'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
  ],
  [
    "a match that is not known",
    () => ({ resourceVersion: "1", resourceVersionMatch: "Foo" }),
    422,
    'Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""',
  ],
  [
    "a match and a token",
    () => ({ resourceVersion: "0", resourceVersionMatch: "NotOlderThan", continue: TOKEN() }),
    422,
    "resourceVersionMatch is forbidden when continue is provided",
  ],
  [
    "initial events of a list",
    () => ({ sendInitialEvents: true }),
    422,
    "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list",
  ],
])("%s is refused", (_, options, code, message) => {
  expect(refused(options())).toMatchObject({ code, message: expect.stringContaining(message) });
});

type Step = { readonly name: string; readonly op: "put" | "remove" | "page" };
const step: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom("a", "b", "c", "d", "e", "f", "g"),
  op: fc.constantFrom("put", "remove", "page"),
});

test("however pages and writes alternate, the pages together are the state at their version", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.integer({ min: 1, max: 3 }),
      async (steps, limit) => {
        const whole = list();
        let page = list({ limit });
        const items = [...page.items];
        const turnPage = () => {
          if (!page.metadata.continue) return;
          page = list({ limit, continue: page.metadata.continue });
          items.push(...page.items);
        };
        for (const { name, op } of steps) {
          if (op === "put") await put(name);
          else if (op === "remove") await remove(name);
          else turnPage();
        }
        while (page.metadata.continue) turnPage();
        expect(items).toEqual(whole.items);
        expect(page.metadata.resourceVersion).toBe(whole.metadata.resourceVersion);
      },
    ),
  ));
