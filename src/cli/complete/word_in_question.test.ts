import { describe, expect, test } from "vitest";
import { COMMANDS } from "../commands.ts";
import { kindOf, NATIVE_KINDS } from "../frame/kinds.ts";
import { wordInQuestion } from "./word_in_question.ts";

const asked = (line: string) => wordInQuestion(line.split(" "), COMMANDS);
const offered = (line: string) => {
  const { offers, begun } = asked(line);
  return offers.map(({ text }) => text).filter((text) => text.startsWith(begun));
};

describe("wordInQuestion()", () => {
  test("the first words are those of the commands, each once and with what it does", () => {
    const { offers } = asked("");
    expect(offers.map(({ text }) => text)).toEqual([
      ...new Set(COMMANDS.map(({ name }) => name.split(" ")[0])),
    ]);
    expect(offers.find(({ text }) => text === "status")?.summary).toContain("one screen");
  });

  test.each<[line: string, offers: string[]]>([
    ["sta", ["status"]],
    ["backup ", ["now"]],
    ["maintenance run repository --mo", ["--mode"]],
    ["maintenance run repository --mode f", ["full", "full-immediate"]],
    ["maintenance run repository --mode=f", ["full", "full-immediate"]],
    ["maintenance run repository --mode = f", ["full", "full-immediate"]],
    ["maintenance run repository --mode =", ["quick", "full", "full-immediate"]],
    ["-n home verify --no", ["--no-wait"]],
    ["--namespace=home verify --no", ["--no-wait"]],
    ["list schedules sch", []],
    ["list backups -o ", ["json", "yaml", "name", "wide"]],
    ["completion f", ["fish"]],
    ["verify --no-wait --no", []],
    ["backup now documents --tag a=b --ta", ["--tag"]],
    ["list -- --", []],
    ["nonsense ", []],
    ["--name", ["--namespace"]],
  ])("holdfast %s", (line, offers) => {
    expect(offered(line)).toEqual(offers);
  });

  test.each<[line: string, begun: string, completes: unknown]>([
    ["backup now do", "do", { names: "config" }],
    [
      "restore co",
      "co",
      { references: ["backup", "config"], usual: "backup", namespaceOption: "from-namespace" },
    ],
    ["restore config/a --into ", "", { names: "claim" }],
    ["diff a b", "b", { references: ["backup", "config"], usual: "backup" }],
    ["status -n ho", "ho", { names: "namespace" }],
    ["explain re", "re", { references: "all", usual: "backup" }],
    ["migrate volsync a.yaml b", "b", "files"],
    ["cat backup/a some/path", "some/path", undefined],
  ])("holdfast %s is for others to know", (line, begun, completes) => {
    expect(asked(line)).toMatchObject({ begun, offers: [] });
    expect(asked(line).completes).toEqual(completes);
  });

  test.each([["ls -n home x"], ["ls --namespace=home x"], ["-nhome ls x"], ["--namespace home ls x"]])(
    "holdfast %s is about that namespace",
    (line) => {
      expect(asked(line)).toMatchObject({ values: { namespace: "home" }, begun: "x" });
    },
  );
});

test("every kind that a word may be of is known", () => {
  const specs = COMMANDS.flatMap(({ args = [], options = {} }) => [...args, ...Object.values(options)]);
  const kinds = specs.flatMap(({ completes }) => {
    if (typeof completes !== "object") return [];
    const { names, references } = { names: undefined, references: [], ...completes };
    return [...(names ? [names] : []), ...(references === "all" ? [] : references)];
  });
  expect(kinds.length).toBeGreaterThan(20);
  const others = ["claim", "namespace", "storageclass"];
  expect(kinds.filter((kind) => !others.includes(kind) && !kindOf(kind, NATIVE_KINDS))).toEqual([]);
});
