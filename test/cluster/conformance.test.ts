import { describe } from "vitest";
import { embeddedGround, embeddedHasNode } from "../conformance/world/embedded_ground.ts";
import { realGround } from "../conformance/world/real_ground.ts";
import { runSuite } from "../conformance/world/suite_runner.ts";

describe("on a real cluster", () => {
  runSuite(realGround, { hasNode: !process.env.HOLDFAST_TEST_NODELESS });
});

// A cluster of an API server alone is one of another version, for which the embedded one need not be put to the test again.
describe.skipIf(process.env.HOLDFAST_TEST_NODELESS)("on the embedded control plane", () => {
  runSuite(embeddedGround, { hasNode: embeddedHasNode });
});
