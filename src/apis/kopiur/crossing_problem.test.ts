import { describe, expect, test } from "vitest";
import { SETTINGS } from "../../core/testing/samples.ts";
import { CONSENT_ANNOTATION } from "../../kinds/kopiur/annotations.ts";
import type { BackupConfig } from "../../kinds/kopiur/generated/backup_config.ts";
import type { RepositorySpec } from "../../kinds/kopiur/generated/repository.ts";
import type { Restore } from "../../kinds/kopiur/generated/restore.ts";
import { configCrossings, restoreCrossings } from "./admission/crossings.ts";
import { EMPTY_LOOKUP } from "./admission/testing/memory_lookup.ts";
import { crossingProblem } from "./crossing_problem.ts";
import { config, repository, restore } from "./testing/samples.ts";

/* A Restore of namespace billing that names what namespace shop put into a shared repository. */

const spying: Restore = restore({
  spec: {
    repository: { kind: "ClusterRepository", name: "shared" },
    source: { identity: { username: "data", hostname: "shop", sourcePath: "/pvc/data", offset: 0 } },
  },
});
const shops = config({ metadata: { namespace: "shop" } });
const lookup = { ...EMPTY_LOOKUP, configsOf: () => [shops] };
const withConsent = {
  ...spying,
  metadata: { ...spying.metadata, annotations: { [CONSENT_ANNOTATION]: "Backup/shop/*" } },
};

const problemOf = (object: Restore, guarded: boolean) =>
  crossingProblem({ lookup, settings: { ...SETTINGS, guarded } }, object, restoreCrossings);

test("what admission would refuse is refused by a controller, too", () => {
  expect(problemOf(spying, true)).toMatchObject({
    class: "structural",
    reason: "CrossNamespaceForbidden",
    message: expect.stringContaining("namespace shop cannot be used from namespace billing"),
  });
});

test("a consent counts where webhooks guard it, and nowhere else", () => {
  expect(problemOf(withConsent, true)).toBeUndefined();
  expect(problemOf(withConsent, false)?.reason).toBe("CrossNamespaceForbidden");
});

test("a consent on what is being deleted counts for nothing: no webhook looks at its edits", () => {
  const metadata = { ...withConsent.metadata, deletionTimestamp: "2026-05-24T00:00:00Z" };
  expect(problemOf({ ...withConsent, metadata }, true)?.reason).toBe("CrossNamespaceForbidden");
});

test("what stays in its namespace is nobody's business", () => {
  expect(problemOf(restore(), false)).toBeUndefined();
});

describe("a recipe that takes another namespace's identity in a shared repository", () => {
  const taking = config({
    metadata: { name: "taking" },
    spec: {
      repository: { kind: "ClusterRepository", name: "shared" },
      identity: { username: "data", hostname: "shop" },
    },
  });
  const problem = (object: BackupConfig) => {
    const around = { ...EMPTY_LOOKUP, configsOf: () => [shops, object] };
    const ports = { lookup: around, settings: { ...SETTINGS, guarded: true } };
    return crossingProblem(ports, object, configCrossings)?.reason;
  };

  test("is refused, though it is there itself", () => {
    expect(problem(taking)).toBe("CrossNamespaceForbidden");
  });

  test("goes on where it has been recorded under it all along", () => {
    const identity = { username: "data", hostname: "shop" };
    expect(problem({ ...taking, status: { resolved: { identity } } })).toBeUndefined();
  });
});

describe("a Repository of another namespace", () => {
  const borrowing = (consents: string) =>
    config({
      metadata: { annotations: { [CONSENT_ANNOTATION]: consents } },
      spec: { repository: { kind: "Repository", name: "nas", namespace: "shop" } },
    });
  const problem = (consents: string, allowed: Pick<RepositorySpec, "allowedNamespaces"> = {}) => {
    const nas = repository({ metadata: { namespace: "shop" }, spec: allowed });
    const ports = {
      lookup: { ...EMPTY_LOOKUP, repository: () => nas },
      settings: { ...SETTINGS, guarded: true },
    };
    return crossingProblem(ports, borrowing(consents), configCrossings);
  };

  test("is not lent by who may get it, but not the Secrets beside it", () => {
    expect(problem("Repository/shop/nas")).toMatchObject({
      class: "structural",
      reason: "LendingForbidden",
      message: expect.stringContaining("whoever wrote the reference may not get Secrets of namespace shop"),
    });
    expect(problem("Repository/shop/nas,Secret/shop/*")).toBeUndefined();
  });

  test("is lent to whom it lists", () => {
    expect(problem("", { allowedNamespaces: { list: ["billing"] } })).toBeUndefined();
  });
});
