import { describe, expect, test } from "vitest";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { readyRepository } from "../references.ts";
import { backup, clusterRepository, config, readyConfig, readyNas } from "../testing/samples.ts";
import { freeze } from "./frozen.ts";

const claim = config({ metadata: { name: "data" } });
const claims = new Map([[keyOf(claim), claim]]);
const nas = readyRepository(readyNas(), "billing/nas" as ObjectKey);

describe("freeze()", () => {
  test("keeps which repository it was, also one of the whole cluster", () => {
    const shared = clusterRepository({ status: { phase: "Ready", uniqueID: "id-2" } });
    const repository = readyRepository(shared, "shared" as ObjectKey);
    expect(freeze({ backup: backup(), config: readyConfig(), repository, claims })).toMatchObject({
      ok: true,
      value: {
        repository: { kind: "ClusterRepository", name: "shared", uid: "uid-shared", uniqueID: "id-2" },
        engine: "kopia",
      },
    });
  });

  test("refuses a compressor that the engine does not have, in the words of the door", () => {
    const own = backup({ spec: { parameters: { compressionOverride: "max" } } });
    expect(freeze({ backup: own, config: readyConfig(), repository: nas, claims })).toMatchObject({
      ok: false,
      error: {
        class: "terminal",
        reason: "Unsupported",
        message: expect.stringMatching(/^Kopia cannot compress with max: it has no such compressor\. Choose/),
      },
    });
  });
});
