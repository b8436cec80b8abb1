import { describe } from "vitest";
import { embeddedGround, embeddedHasNode } from "../conformance/world/embedded_ground.ts";
import { realGround } from "../conformance/world/real_ground.ts";
import { runSuite } from "../conformance/world/suite_runner.ts";

describe("on a real cluster", () => {
  runSuite(realGround, { hasNode: !process.env.HOLDFAST_TEST_NODELESS });
});

describe("on the embedded control plane", () => {
  runSuite(embeddedGround, { hasNode: embeddedHasNode });
});
