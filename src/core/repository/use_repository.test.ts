import { describe, expect, test } from "vitest";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import { waits } from "../reconcile/problem.ts";
import type { Violation } from "../reconcile/violation.ts";
import { backup, readyNas, repository, SETTINGS } from "../testing/samples.ts";
import type { Repository } from "./repository.ts";
import { type RepositoryDirectory, type RepositoryUser, useRepository } from "./use_repository.ts";

const NO: Violation = { reason: "Forbidden", field: "f", what: "it cannot", why: "it may not", fix: "Ask" };
const nas = readyNas();
const witness = backup();

interface Case extends Partial<RepositoryDirectory<string, Repository>> {
  readonly settings?: object;
  readonly runsIn?: string;
  readonly vouched?: boolean;
}

/** Namespace shop wants to use the repository `nas` of namespace billing. */
function use({ settings, runsIn = "shop", vouched = false, ...more }: Case = {}) {
  const directory: RepositoryDirectory<string, Repository> = {
    key: (name, namespace) => keyOf({ namespace: name === "own" ? namespace : "billing", name: "nas" }),
    text: (key) => `Repository ${key}`,
    find: () => nas,
    unwatched: () => undefined,
    namespace: (name) => (name === "shop" ? ({ metadata: { name } } as KubeObject) : undefined),
    objection: () => undefined,
    lendingObjection: () => undefined,
    ...more,
  };
  const consumer = { namespace: "shop", witnesses: [witness, undefined], runsIn, vouched: () => vouched };
  return useRepository(directory, { ...SETTINGS, ...settings }, "nas", consumer);
}

const lending = { settings: { lendSecrets: true } };

describe("useRepository()", () => {
  test("finds what may be used, and says whether it is ready", () => {
    const ready = { ok: true, value: nas };
    expect(use()).toEqual({ key: "billing/nas", repository: nas, permitted: ready, ready });
    const fresh = repository();
    expect(use({ find: () => fresh })).toMatchObject({
      permitted: { ok: true },
      ready: { ok: false, error: { reason: "RepositoryNotReady" } },
    });
  });

  const gone = readyNas({ metadata: { deletionTimestamp: "2026-05-24T00:00:00Z" } });
  test.each<[string, Case, string, string]>([
    ["is not there", { find: () => undefined }, "RepositoryNotFound", "Repository billing/nas does not"],
    ["is being deleted", { find: () => gone }, "RepositoryNotFound", "Repository billing/nas does not"],
    ["is not looked at", { unwatched: () => waits("Unwatched", "No.") }, "Unwatched", "No."],
    ["may not be used", { objection: () => NO }, "Forbidden", "It cannot: it may not. Ask."],
    ["may not be lent", { ...lending, lendingObjection: () => NO }, "Forbidden", "It cannot"],
    ["may perhaps be used", { objection: () => "unknown" }, "NamespaceUnknown", "Whether namespace shop may"],
    [
      "may perhaps be lent",
      { ...lending, runsIn: "attic", lendingObjection: () => "unknown" },
      "NamespaceUnknown",
      "Whether namespace attic may",
    ],
  ])("of one that %s it says so", (_, one, reason, message) => {
    const error = { reason, message: expect.stringContaining(message) };
    expect(use(one)).toMatchObject({ permitted: { ok: false, error }, ready: { ok: false, error } });
  });

  test("nothing is lent where lending is off, or the repository's namespace has listed the run's", () => {
    expect(use({ lendingObjection: () => NO }).permitted.ok).toBe(true);
    expect(use({ ...lending, vouched: true, lendingObjection: () => NO }).permitted.ok).toBe(true);
  });

  test("witnesses count only where admission guards what they say", () => {
    const asked: RepositoryUser[] = [];
    const objection = (_: Repository, user: RepositoryUser) => void asked.push(user);
    use({ objection });
    use({ objection, settings: { guarded: true } });
    expect(asked).toEqual([
      { namespace: "shop", labels: {}, witnesses: [] },
      { namespace: "shop", labels: {}, witnesses: [witness] },
    ]);
  });
});
