import { describe, expect, test } from "vitest";
import { crossingToken } from "../../../core/consent/consents.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { judge } from "./consent_rules.ts";
import { restoreCrossings } from "./crossings.ts";
import type { Manifest } from "./testing/admission_case.ts";
import { config, repository, restore } from "./testing/manifests.ts";
import { storedOf } from "./testing/memory_door.ts";
import { memoryLookup } from "./testing/memory_lookup.ts";

const THEIRS = { source: { fromConfig: { name: "data", namespace: "tenant-b" } } };

/** The Secrets that a Restore of tenant-a would be lent, and whether somebody there has listed it. */
function secretsOf(given: readonly Manifest[], spec: object = THEIRS) {
  const lookup = memoryLookup(
    new Map(given.map((one) => [`${one.kind} ${one.namespace}/${one.name}`, storedOf(one)])),
  );
  return restoreCrossings(storedOf(restore({ spec })) as Restore, lookup)
    .filter(({ kind }) => kind === "Secret")
    .map((crossing) => `${crossingToken(crossing)} ${judge(crossing, "tenant-a", lookup)}`);
}

const nas = (namespace: string, spec: object = {}) => repository({ namespace, spec });
const recipe = (spec: object) => config({ namespace: "tenant-b", spec });
const listing = { allowedNamespaces: { list: ["tenant-a"] } };

describe("the Secrets behind a source of another namespace", () => {
  test.each<[string, readonly Manifest[], readonly string[]]>([
    ["are beside the source while it is not there", [], ["Secret/tenant-b/* absent"]],
    [
      "are for nobody who is not listed",
      [recipe({ repository: { name: "nas" } }), nas("tenant-b")],
      ["Secret/tenant-b/* denied"],
    ],
    [
      "are for whom the source lists",
      [recipe({ repository: { name: "nas" }, ...listing }), nas("tenant-b")],
      ["Secret/tenant-b/* granted"],
    ],
    [
      "are for whom the Repository lists",
      [recipe({ repository: { name: "nas" } }), nas("tenant-b", listing)],
      ["Secret/tenant-b/* granted"],
    ],
    [
      "are not the source's to give where they are in a third namespace",
      [recipe({ repository: { name: "nas", namespace: "tenant-c" }, ...listing }), nas("tenant-c")],
      ["Secret/tenant-c/* denied"],
    ],
    [
      "are nobody's where the Repository is our own",
      [recipe({ repository: { name: "nas", namespace: "tenant-a" } })],
      [],
    ],
    [
      "are shared with a ClusterRepository",
      [recipe({ repository: { kind: "ClusterRepository", name: "commons" } })],
      [],
    ],
  ])("%s", (_, given, secrets) => {
    expect(secretsOf(given)).toEqual(secrets);
  });
});
