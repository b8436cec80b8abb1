import { describe, expect, test } from "vitest";
import { resolveHolder, sourcePath } from "./identity.ts";

const recipe = { namespace: "billing", configName: "postgres-data" };

describe("resolveHolder()", () => {
  test.each([
    ["nobody says anything: the recipe's name and namespace", {}, "postgres-data", "billing"],
    ["the recipe says both", { explicit: { username: "pg", hostname: "db" } }, "pg", "db"],
    ["the recipe says one", { explicit: { hostname: "db" } }, "postgres-data", "db"],
    [
      "the repository has templates",
      { templates: { username: "{{ .Namespace }}-{{ .ConfigName }}", hostname: "{{ .Namespace }}" } },
      "billing-postgres-data",
      "billing",
    ],
    [
      "the recipe wins over the templates",
      { explicit: { username: "pg" }, templates: { username: "{{ .Namespace }}", hostname: "prod" } },
      "pg",
      "prod",
    ],
  ])("%s", (_, request, username, hostname) => {
    expect(resolveHolder({ ...recipe, ...request })).toEqual({ ok: true, value: { username, hostname } });
  });

  test("braces in what the recipe itself says are no template", () => {
    const explicit = { username: "{{ .Namespace }}" };
    expect(resolveHolder({ ...recipe, explicit })).toMatchObject({ ok: false });
  });

  test.each([
    ["an @", { explicit: { username: "a@b" } }, /the username "a@b" must be letters/],
    ["a colon", { explicit: { hostname: "a:b" } }, /the hostname "a:b" must be letters/],
    ["nothing", { templates: { hostname: "" } }, /the hostname "" must be/],
    ["too much", { explicit: { username: "a".repeat(254) } }, /the username/],
    ["a bad template", { templates: { username: "{{ .Pod }}" } }, /uses \{\{ \.Pod \}\}/],
  ])("%s is refused", (_, request, problem) => {
    expect(resolveHolder({ ...recipe, ...request })).toEqual({
      ok: false,
      error: expect.stringMatching(problem),
    });
  });
});

test("sourcePath() is by name, and by namespace where names could meet", () => {
  const claim = { namespace: "billing", name: "data" };
  expect(sourcePath(claim)).toBe("/pvc/data");
  expect(sourcePath(claim, "PVCNamespacedName")).toBe("/pvc/billing/data");
});
