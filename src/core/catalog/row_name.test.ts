import { describe, expect, test } from "vitest";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { Ready, Repository } from "../repository/repository.ts";
import { readyNas, snapshot } from "../testing/samples.ts";
import { rowNames } from "./row_name.ts";

type ReadyRepository = Ready<Repository>;
const nas = readyNas() as ReadyRepository;
const nameOf = rowNames(nas);
const user = (username: string) => snapshot({ identity: { ...snapshot().identity, username } });

describe("rowNames()", () => {
  test("is the same for the same snapshot, also after the repository's object was made anew", () => {
    const again = rowNames(readyNas({ metadata: { uid: "another" } }) as ReadyRepository);
    expect(again(snapshot({ id: "rewritten" }))).toBe(nameOf(snapshot()));
    expect(nameOf(snapshot())).toMatch(/^found-data-20260524-021200-[0-9a-z]{12}$/);
  });

  test.each<[string, ReadyRepository, Snapshot]>([
    ["another content", nas, snapshot({ root: "other" })],
    ["another moment, within the second", nas, snapshot({ startedAt: "2026-05-24T02:12:00.5Z" })],
    ["another host", nas, snapshot({ identity: { ...snapshot().identity, hostname: "shop" } })],
    ["another repository", readyNas({ metadata: { name: "cloud" } }) as ReadyRepository, snapshot()],
    [
      "a repository that replaced it",
      readyNas({ status: { uniqueID: "id-2" } }) as ReadyRepository,
      snapshot(),
    ],
  ])("tells %s apart", (_, repository, other) => {
    expect(rowNames(repository)(other)).not.toBe(nameOf(snapshot()));
  });

  test.each(["Ärger & Söhne", "-", "x".repeat(253), "\n", "a.b_c"])(
    "is a name whoever wrote it: %s",
    (name) => {
      expect(nameOf(user(name))).toMatch(
        /^found-([a-z0-9]([a-z0-9-]*[a-z0-9])?-)?20260524-021200-[0-9a-z]{12}$/,
      );
      expect(nameOf(user(name))?.length).toBeLessThanOrEqual(63);
    },
  );

  test.each<[string, Snapshot]>([
    ["an empty user name", user("")],
    ["a user name that is too long", user("x".repeat(254))],
    ["a path that is too long", snapshot({ identity: { ...snapshot().identity, path: "/".repeat(1025) } })],
    ["a time that is none", snapshot({ startedAt: "yesterday" })],
  ])("is none for %s, which no object could hold", (_, odd) => {
    expect(nameOf(odd)).toBeUndefined();
  });
});
