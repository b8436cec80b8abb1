import { expect, test } from "vitest";
import type { ConsoleView } from "../../../src/cli/console/contract.ts";
import type { VolumeView } from "../../../src/core/view/view.ts";
import { verdictOf } from "./verdict.ts";

const now = "2026-11-18T12:00:00Z";

function volume(name: string, over: Partial<VolumeView> = {}): VolumeView {
  const object = { kind: "Backup", namespace: "home", name: "monday" };
  const lastGood = { object, claim: `home/${name}`, at: "2026-11-18T09:00:00Z" };
  return {
    namespace: "home",
    name,
    protection: "yes",
    coverage: "protected",
    by: [],
    wrong: [],
    lastGood,
    ...over,
  };
}
const bare = { protection: "no", coverage: "unprotected", lastGood: undefined } as const;
const repository = { kind: "Repository", namespace: "home", name: "nas" };
const failed = { object: repository, why: "It does not answer" };
const lost: ConsoleView["lost"][number] = {
  claim: "home/photos",
  lastGood: { object: repository, claim: "home/photos", at: now },
  restore: "restore --all",
};

function said(volumes: readonly VolumeView[], over: Partial<ConsoleView> = {}): string {
  const { tone, sentence } = verdictOf({ now, volumes, problems: [], lost: [], ...over });
  return `${tone}: ${sentence}`;
}

test.each([
  ["nothing at all", said([]), "good: There are no volumes to protect."],
  ["one that is safe", said([volume("a")]), "good: Your volume is safe; the backup is 3 h old."],
  ["one that is bare", said([volume("a", bare)]), "bad: Your volume is not safe; 1 thing wants you."],
  [
    "all are safe",
    said([volume("a"), volume("b")]),
    "good: All 2 volumes are safe; the oldest good backup is 3 h old.",
  ],
  [
    "one of several is bare, and a repository is away",
    said([volume("a"), volume("b"), volume("c", bare)], { problems: [failed] }),
    "bad: 2 of 3 volumes are safe; the oldest good backup is 3 h old; 2 want you.",
  ],
  [
    "all are safe, and a repository is away",
    said([volume("a"), volume("b")], { problems: [failed] }),
    "warn: All 2 volumes are safe; the oldest good backup is 3 h old; 1 thing wants you.",
  ],
  [
    "by hand counts as not safe, and wants nothing",
    said([volume("a"), volume("b", { protection: "by hand", coverage: "by_hand" })]),
    "warn: 1 of 2 volumes is safe; the oldest good backup is 3 h old.",
  ],
  [
    "what is exempt or holds a repository does not count",
    said([
      volume("a"),
      volume("b", { protection: "exempt", coverage: "exempt", lastGood: undefined }),
      { ...volume("c", { protection: "store", lastGood: undefined }), coverage: undefined } as never,
    ]),
    "good: Your volume is safe; the backup is 3 h old.",
  ],
  [
    "what backs it up may not be looked at",
    said([volume("a", { ...bare, unseen: true })]),
    "warn: You may not see what backs up your volume; 1 thing wants you.",
  ],
  ["a claim is lost", said([], { lost: [lost] }), "bad: There are no volumes to protect; 1 thing wants you."],
])("%s", (_, sentence, expected) => {
  expect(sentence.replaceAll("\u00a0", " ")).toBe(expected);
});
