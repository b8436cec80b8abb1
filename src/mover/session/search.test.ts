import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { entryOf, FakeRepository } from "../testing/fake_engine.ts";
import { Listings } from "./listings.ts";
import { search } from "./search.ts";

function ground() {
  const repository = new FakeRepository();
  const folder = (path: string, ...names: readonly string[]) =>
    repository.folders.set(
      `s/${path}`,
      names.map((name) => (name.endsWith("/") ? entryOf(name.slice(0, -1), "Folder") : entryOf(name))),
    );
  folder("", "a.c", "b/", "c.c", "d/");
  folder("b", "e/", "f.c", "g.h");
  folder("b/e", "h.c");
  folder("d", "i.c", "j.c");
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  return { repository, clock, ground: { listings: new Listings(repository), clock, signal } };
}

const all = ["a.c", "b/e/h.c", "b/f.c", "c.c", "d/i.c", "d/j.c"];
const wanted = { snapshot: "s", path: "", name: "*.c" };

describe("search()", () => {
  test("finds entries by name, each folder before what is in it", async () => {
    const { ground: on } = ground();
    const { items, next } = await search({ ...wanted, limit: 100 }, on);
    expect(items.map(({ path }) => path)).toEqual(all);
    expect(next).toBeUndefined();
    expect((await search({ ...wanted, name: "?", limit: 100 }, on)).items.map(({ path }) => path)).toEqual([
      "b",
      "b/e",
      "d",
    ]);
  });

  test("reads a folder once that two snapshots hold alike", async () => {
    const { ground: on, repository } = ground();
    const alike = { ...entryOf("b", "Folder"), content: "k1" };
    for (const snapshot of ["t", "u"]) repository.folders.set(`${snapshot}/`, [entryOf("a.c"), alike]);
    repository.folders.set("t/b", [entryOf("z.c")]);
    const paths = async (page: { readonly snapshot: string; readonly after?: string }) =>
      (await search({ ...wanted, ...page, limit: 9 }, on)).items.map(({ path }) => path);
    expect(await paths({ snapshot: "t" })).toEqual(["a.c", "b/z.c"]);
    expect(await paths({ snapshot: "u" })).toEqual(["a.c", "b/z.c"]);
    expect(await paths({ snapshot: "u", after: "2.0" })).toEqual(["b/z.c"]);
    expect(repository.asked).toEqual(["browse ", "browse b", "browse "]);
  });

  test("begins in the folder that is named", async () => {
    const { ground: on } = ground();
    const { items } = await search({ ...wanted, path: "b", limit: 100 }, on);
    expect(items.map(({ path }) => path)).toEqual(["b/e/h.c", "b/f.c"]);
  });

  test.each([1, 2, 3, 5])("goes on where a page of %i ended", async (limit) => {
    const { ground: on } = ground();
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await search({ ...wanted, limit, ...(after === undefined ? {} : { after }) }, on);
      expect(page.items.length).toBeLessThanOrEqual(limit);
      found.push(...page.items.map(({ path }) => path));
      after = page.next;
    } while (after !== undefined);
    expect(found).toEqual(all);
  });

  test("ends a page when its time is over, and always gets further", async () => {
    const { ground: on, clock, repository } = ground();
    repository.fail = () => clock.advance(6000);
    const found: string[] = [];
    let pages = 0;
    let after: string | undefined;
    do {
      const page = await search({ ...wanted, limit: 100, ...(after === undefined ? {} : { after }) }, on);
      found.push(...page.items.map(({ path }) => path));
      after = page.next;
      pages += 1;
    } while (after !== undefined && pages < 20);
    expect(found).toEqual(all);
    expect(pages).toBeGreaterThan(1);
  });

  test.each(["x", "1.", "1.0", "9.9"])("refuses the cursor %s", async (after) => {
    const { ground: on } = ground();
    await expect(search({ ...wanted, limit: 1, after }, on)).rejects.toMatchObject({
      class: "InvalidOption",
    });
  });
});
