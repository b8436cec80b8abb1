import { describe, expect, test } from "vitest";
import type { Truth } from "../../../core/catalog/truth/truth.ts";
import { MODES, type Mode, RESTORE_MODES, type RestoreMode } from "../../../kinds/plumber/words.ts";
import { DEFAULTS } from "../settings.ts";
import { decideRestore, type RestoreQuestion } from "./decide_restore.ts";
import { parsePvc } from "./parse_pvc.ts";

const TRUTHS = {
  yes: { answer: "yes", newestAt: "2026-01-01T00:00:00Z", stale: false },
  "stale yes": { answer: "yes", newestAt: "2026-01-01T00:00:00Z", stale: true },
  no: { answer: "no", stale: false },
  "stale no": { answer: "no", stale: true },
  unknown: { answer: "unknown", reason: "RepositoryNotReady", message: "The repository does not answer." },
} as const satisfies Record<string, Truth>;
type TruthName = keyof typeof TRUTHS;
const SKIPS = ["none", "reason", "no reason"] as const;

interface Input {
  readonly gate: boolean;
  readonly mode: Mode;
  readonly restore: RestoreMode | undefined;
  readonly skip: (typeof SKIPS)[number];
  readonly truth: TruthName;
  readonly duplicate: boolean;
  readonly invalid: boolean;
}

function* inputs(): Iterable<Input> {
  for (const gate of [true, false])
    for (const mode of MODES)
      for (const restore of [undefined, ...RESTORE_MODES])
        for (const skip of SKIPS)
          for (const truth of Object.keys(TRUTHS) as TruthName[])
            for (const duplicate of [true, false])
              for (const invalid of [true, false])
                yield { gate, mode, restore, skip, truth, duplicate, invalid };
}

type Answer = "allow" | "inject" | "deny";

/** The document's table: the first row that fits gives the answer and the word. */
const TABLE: readonly (readonly [
  fits: (input: Input & { readonly by: RestoreMode }) => boolean,
  answer: Answer,
  reason: string,
])[] = [
  [({ gate, mode, invalid }) => gate && mode === "strict" && invalid, "deny", "InvalidAnnotation"],
  [({ gate, mode, duplicate }) => gate && mode === "strict" && duplicate, "deny", "DuplicateBackupIdentity"],
  // D, D'
  [({ skip }) => skip === "reason", "allow", "RestoreSkipped"],
  [({ skip }) => skip === "no reason", "deny", "SkipWithoutReason"],
  // E
  [({ by }) => by === "never", "allow", "NeverRestored"],
  // G, F
  [({ by, truth }) => by === "force" && truth.endsWith("yes"), "inject", "RestoreInjected"],
  [({ by }) => by === "force", "deny", "NothingToForce"],
  // A, B
  [({ truth }) => truth === "yes", "inject", "RestoreInjected"],
  [({ truth }) => truth === "no", "allow", "BackupStateKnown"],
  // C, C', C''
  [({ by, truth }) => by === "strict" && truth.startsWith("stale"), "deny", "CacheStale"],
  [({ truth }) => truth === "stale yes", "inject", "RestoreInjected"],
  [({ by }) => by === "strict" || by === "enforce", "deny", "BackupStateUnknown"],
  [() => true, "allow", "BackupStateUnknown"],
];

function expected(input: Input): { readonly answer: Answer; readonly reason: string } {
  const by = input.gate ? (input.restore ?? input.mode) : "audit";
  const [, answer, reason] = TABLE.find(([fits]) => fits({ ...input, by })) ?? [];
  const strict = input.gate && input.mode === "strict" && (input.invalid || input.duplicate);
  // Audit says what would happen, and neither changes nor denies anything.
  return { answer: by === "audit" && !strict ? "allow" : (answer ?? "deny"), reason: reason ?? "" };
}

function question(input: Input): RestoreQuestion {
  const annotations: Record<string, string> = {
    ...(input.restore ? { "pvc-plumber.io/restore-mode": input.restore } : {}),
    ...(input.skip === "none" ? {} : { "pvc-plumber.io/skip-restore": "true" }),
    ...(input.skip === "reason" ? { "pvc-plumber.io/skip-restore-reason": "a drill" } : {}),
    ...(input.invalid ? { "pvc-plumber.io/uid": "root" } : {}),
  };
  const metadata = {
    namespace: "media",
    name: "library",
    annotations,
    uid: "u",
    resourceVersion: "1",
    creationTimestamp: "",
  };
  const pvc = parsePvc({ metadata }, { ...DEFAULTS, mode: input.mode });
  return {
    pvc,
    gate: input.gate ? { open: true } : { open: false, why: "the namespace has no label" },
    truth: TRUTHS[input.truth],
    duplicate: input.duplicate ? "photos/library" : undefined,
  };
}

const asked = (annotations: Readonly<Record<string, string>>, mode: Mode = "audit"): RestoreQuestion => {
  const metadata = {
    namespace: "media",
    name: "library",
    uid: "u",
    resourceVersion: "1",
    creationTimestamp: "",
  };
  const pvc = parsePvc({ metadata: { ...metadata, annotations } }, { ...DEFAULTS, mode });
  return { pvc, gate: { open: true }, truth: TRUTHS.no, duplicate: undefined };
};

describe("decideRestore()", () => {
  test.each(["mode", "restore-mode"])(
    "denies a %s that nobody understands, whatever the default is",
    (name) => {
      for (const mode of MODES) {
        const answer = decideRestore(asked({ [`pvc-plumber.io/${name}`]: "Strict" }, mode));
        expect(answer).toMatchObject({
          allowed: false,
          reason: "InvalidAnnotation",
          message: expect.stringContaining("one of never, audit, permissive, enforce, strict, force"),
        });
      }
      const shut = {
        ...asked({ [`pvc-plumber.io/${name}`]: "Strict" }),
        gate: { open: false, why: "no label" },
      } as const;
      expect(decideRestore(shut)).toMatchObject({ allowed: true });
    },
  );

  const all = [...inputs()];

  test("answers every combination as the table says, with its word", () => {
    expect(all).toHaveLength(2 * 4 * 7 * 3 * 5 * 2 * 2);
    const wrong = all.flatMap((input) => {
      const { allowed, inject, reason } = decideRestore(question(input));
      const answer = allowed ? (inject ? "inject" : "allow") : "deny";
      const want = expected(input);
      return answer === want.answer && reason === want.reason ? [] : [{ input, answer, reason, want }];
    });
    expect(wrong).toEqual([]);
  });

  test("never injects what it denies, and never denies behind a shut gate", () => {
    for (const input of all) {
      const { allowed, inject } = decideRestore(question(input));
      expect(allowed || !inject).toBe(true);
      if (!input.gate) expect({ allowed, inject }).toEqual({ allowed: true, inject: false });
    }
  });

  test("never lets a PVC start empty on an unknown or stale answer in enforce or strict", () => {
    for (const input of all) {
      const by = input.restore ?? input.mode;
      if (!input.gate || (by !== "enforce" && by !== "strict") || input.skip !== "none") continue;
      const { allowed, inject } = decideRestore(question(input));
      if (input.truth !== "no") expect(allowed && !inject).toBe(false);
    }
  });

  test("warns of duplicates, wrong values and a stale list where it does not deny", () => {
    const base: Input = {
      gate: true,
      mode: "enforce",
      restore: undefined,
      skip: "none",
      truth: "stale yes",
      duplicate: true,
      invalid: true,
    };
    expect(decideRestore(question(base)).warnings.map(({ reason }) => reason)).toEqual([
      "InvalidAnnotation",
      "DuplicateBackupIdentity",
      "CacheStale",
    ]);
  });

  test.each<[Partial<Input>, string]>([
    [
      { truth: "yes" },
      "The PVC is restored from the backup of media/library, the newest of which is of 2026-01-01T00:00:00Z.",
    ],
    [{ truth: "no" }, "The repository has no backup of media/library: the PVC starts empty."],
    [
      { truth: "unknown" },
      'Nobody knows whether media/library has a backup, so the PVC must not start empty. The repository does not answer. Apply the PVC again once the repository answers; or set pvc-plumber.io/skip-restore to "true", with a reason, to start empty.',
    ],
    [
      { truth: "stale no", mode: "strict" },
      'The list of backups is too old to rely on for media/library; the operator reads it again. Apply the PVC again once the repository answers; or set pvc-plumber.io/skip-restore to "true", with a reason, to start empty.',
    ],
    [
      { truth: "unknown", mode: "permissive" },
      "The PVC starts empty although nobody knows whether media/library has a backup. The repository does not answer.",
    ],
    [{ skip: "reason" }, "The PVC starts empty on request: a drill"],
    [
      { skip: "no reason" },
      "pvc-plumber.io/skip-restore needs a reason: say in pvc-plumber.io/skip-restore-reason why the PVC may start empty.",
    ],
    [{ restore: "never" }, "The PVC starts empty: pvc-plumber.io/restore-mode is never."],
    [
      { restore: "force", truth: "no" },
      "pvc-plumber.io/restore-mode is force, and there is no backup of media/library.",
    ],
    [
      { restore: "force", truth: "unknown" },
      "pvc-plumber.io/restore-mode is force, and the repository does not answer.",
    ],
    [
      { mode: "strict", duplicate: true },
      "PVC photos/library has the backup identity media/library, too: their backups would be one history. Give one of them another pvc-plumber.io/backup-identity.",
    ],
    [
      { mode: "strict", invalid: true },
      'pvc-plumber.io/uid is "root": it must be a whole number from 0 to 2147483647.',
    ],
  ])("says of %j what is so, and what to do", (given, text) => {
    const base: Input = {
      gate: true,
      mode: "enforce",
      restore: undefined,
      skip: "none",
      truth: "yes",
      duplicate: false,
      invalid: false,
    };
    expect(decideRestore(question({ ...base, ...given })).message).toBe(text);
  });
});
