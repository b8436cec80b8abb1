import { describe, expect, test } from "vitest";
import { entryOf, FakeRepository } from "../testing/fake_engine.ts";
import { Listings } from "./listings.ts";

const { signal } = new AbortController();

function filled() {
  const repository = new FakeRepository();
  for (const path of ["", "a", "b", "c"]) repository.folders.set(`s/${path}`, [entryOf("x"), entryOf("y")]);
  return repository;
}

describe("Listings", () => {
  test("ask the engine once for what is asked again", async () => {
    const repository = filled();
    const listings = new Listings(repository);
    await listings.list("s", "a", signal);
    expect((await listings.entry("s", "a/y", signal)).name).toBe("y");
    expect(repository.asked).toEqual(["browse a"]);
  });

  test("forget what was longest not asked for", async () => {
    const repository = filled();
    const listings = new Listings(repository, 4);
    for (const path of ["a", "b", "a", "c", "a", "b"]) await listings.list("s", path, signal);
    expect(repository.asked).toEqual(["browse a", "browse b", "browse c", "browse b"]);
  });

  test("do not keep what is too large to keep", async () => {
    const repository = filled();
    const listings = new Listings(repository, 1);
    for (const path of ["a", "a"]) await listings.list("s", path, signal);
    expect(repository.asked).toEqual(["browse a", "browse a"]);
  });

  test("say which entry is missing", async () => {
    await expect(new Listings(filled()).entry("s", "z", signal)).rejects.toMatchObject({
      class: "PathMissing",
      message: "the snapshot s does not hold z",
    });
  });
});
