import { describe, expect, test } from "vitest";
import { DEFAULTS } from "../settings.ts";
import { type ParsedPvc, parsePvc } from "./parse_pvc.ts";

type Texts = Readonly<Record<string, string>>;

function parse(labels: Texts = {}, annotations: Texts = {}, mode = DEFAULTS.mode): ParsedPvc {
  const own = (texts: Texts) =>
    Object.fromEntries(
      Object.entries(texts).map(([key, value]) => [key === "backup" ? key : `pvc-plumber.io/${key}`, value]),
    );
  const metadata = {
    namespace: "media",
    name: "library",
    uid: "u",
    resourceVersion: "1",
    creationTimestamp: "",
    labels: own(labels),
    annotations: own(annotations),
  };
  return parsePvc({ metadata }, { ...DEFAULTS, mode });
}

describe("parsePvc()", () => {
  test("has a default for everything", () => {
    expect(parse()).toEqual({
      enabled: undefined,
      managed: false,
      tier: undefined,
      hasTier: false,
      mode: "audit",
      restoreMode: "audit",
      identity: { text: "media/library", username: "library", hostname: "media" },
      isForeign: false,
      isBorrowed: false,
      uid: 568,
      gid: 568,
      minBackupAge: 7_200_000,
      skip: undefined,
      trigger: undefined,
      exempt: undefined,
      legacy: undefined,
      problems: [],
    });
  });

  test.each<[Texts, Texts, Partial<ParsedPvc>]>([
    [{ enabled: "true" }, {}, { enabled: true }],
    [{}, { "backup-identity": "media/other" }, { isBorrowed: false }],
    [{}, { "backup-identity": "photos/data" }, { isBorrowed: true }],
    [{}, { "backup-identity": "immich" }, { isBorrowed: true }],
    [{}, { "backup-identity": "photos/data", "allowed-identity": "photos/data" }, { isBorrowed: false }],
    [{}, { "backup-identity": "photos/data", "allowed-identity": "photos/other" }, { isBorrowed: true }],
    [{ enabled: "false" }, {}, { enabled: false }],
    [{ "manage-volsync": "true" }, {}, { managed: true }],
    [{ tier: "hourly" }, {}, { tier: "hourly", hasTier: true }],
    [{ tier: "disabled" }, {}, { tier: "disabled" }],
    [{ backup: "daily" }, {}, { legacy: "daily", enabled: undefined }],
    [{ exempt: "true" }, { "exempt-reason": "a cache" }, { exempt: { reason: "a cache" } }],
    [{ exempt: "true" }, {}, { exempt: { reason: undefined } }],
    [{}, { uid: "0", gid: "1000" }, { uid: 0, gid: 1000 }],
    [{}, { mode: "strict" }, { mode: "strict", restoreMode: "strict" }],
    [{}, { mode: "enforce", "restore-mode": "permissive" }, { mode: "enforce", restoreMode: "permissive" }],
    [{}, { mode: "never" }, { mode: "permissive", restoreMode: "never" }],
    [{}, { mode: "force" }, { mode: "enforce", restoreMode: "force" }],
    [{}, { "restore-mode": "never" }, { mode: "audit", restoreMode: "never" }],
    [{}, { "min-backup-age": "1h30m" }, { minBackupAge: 5_400_000 }],
    [{}, { "min-backup-age": "0s" }, { minBackupAge: 0 }],
    [{}, { "skip-restore": "true" }, { skip: { reason: undefined } }],
    [{}, { "skip-restore": "true", "skip-restore-reason": " a test " }, { skip: { reason: "a test" } }],
    [{}, { "skip-restore": "false", "skip-restore-reason": "a test" }, { skip: undefined }],
    [{}, { trigger: "now-1" }, { trigger: "now-1" }],
    [
      {},
      { "backup-identity": "immich-library" },
      { identity: { text: "immich-library", username: "immich-library", hostname: "pvc-plumber" } },
    ],
    [
      {},
      { "backup-identity": "photos/library" },
      { identity: { text: "photos/library", username: "library", hostname: "photos" } },
    ],
  ])("reads %j and %j", (labels, annotations, part) => {
    expect(parse(labels, annotations)).toMatchObject({ ...part, problems: [] });
  });

  test.each<[Texts, Texts, string, Partial<ParsedPvc>]>([
    [
      { enabled: "yes" },
      {},
      'pvc-plumber.io/enabled is "yes": it must be "true" or "false"',
      { enabled: undefined },
    ],
    [{ enabled: "True" }, {}, 'pvc-plumber.io/enabled is "True": it must be "true" or "false"', {}],
    [
      { "manage-volsync": "1" },
      {},
      'pvc-plumber.io/manage-volsync is "1": it must be "true" or "false"',
      { managed: false },
    ],
    [
      { tier: "minutely" },
      {},
      'pvc-plumber.io/tier is "minutely": it must be one of hourly, daily, weekly, manual, disabled',
      { tier: undefined, hasTier: true },
    ],
    [
      {},
      { mode: "Strict" },
      'pvc-plumber.io/mode is "Strict": it must be one of never, audit, permissive, enforce, strict, force',
      { mode: "audit" },
    ],
    [
      {},
      { mode: "enforce", "restore-mode": "maybe" },
      'pvc-plumber.io/restore-mode is "maybe": it must be one of never, audit, permissive, enforce, strict, force',
      { restoreMode: "enforce" },
    ],
    [
      {},
      { uid: "-1" },
      'pvc-plumber.io/uid is "-1": it must be a whole number from 0 to 2147483647',
      { uid: 568 },
    ],
    [
      {},
      { gid: "07" },
      'pvc-plumber.io/gid is "07": it must be a whole number from 0 to 2147483647',
      { gid: 568 },
    ],
    [
      {},
      { uid: "2147483648" },
      'pvc-plumber.io/uid is "2147483648": it must be a whole number from 0 to 2147483647',
      {},
    ],
    [
      {},
      { "min-backup-age": "2 hours" },
      'pvc-plumber.io/min-backup-age is "2 hours": it must be a duration of at most a year, such as 2h or 30m',
      { minBackupAge: 7_200_000 },
    ],
    [
      {},
      { "min-backup-age": "9000h" },
      'pvc-plumber.io/min-backup-age is "9000h": it must be a duration of at most a year, such as 2h or 30m',
      {},
    ],
    [
      {},
      { "skip-restore": "" },
      'pvc-plumber.io/skip-restore is "": it must be "true" or "false"',
      { skip: undefined },
    ],
    [
      {},
      { "skip-restore": "true", "skip-restore-reason": "  " },
      'pvc-plumber.io/skip-restore-reason is "  ": it must be a text of 1 to 512 characters',
      { skip: { reason: undefined } },
    ],
    [
      {},
      { "backup-identity": "a/b/c" },
      "pvc-plumber.io/backup-identity is \"a/b/c\": it must be <name> or <namespace>/<name>, in lower case, digits, '-' and '.', with at most 253 characters each",
      { identity: { text: "media/library", username: "library", hostname: "media" } },
    ],
    [{}, { trigger: "" }, 'pvc-plumber.io/trigger is "": it must be a text of 1 to 253 characters', {}],
  ])("says what is wrong with %j and %j, and takes the default", (labels, annotations, message, part) => {
    const parsed = parse(labels, annotations);
    expect(parsed.problems.map((one) => one.message)).toEqual([message]);
    expect(parsed).toMatchObject(part);
  });

  test("the mode of the operator holds where the PVC has none", () => {
    expect(parse({}, {}, "strict")).toMatchObject({ mode: "strict", restoreMode: "strict" });
  });
});
