import { embeddedGround, embeddedHasNode } from "../conformance/world/embedded_ground.ts";
import { runSuite } from "../conformance/world/suite_runner.ts";

runSuite(embeddedGround, { hasNode: embeddedHasNode });
