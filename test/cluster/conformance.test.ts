import { realGround } from "../conformance/world/real_ground.ts";
import { runSuite } from "../conformance/world/suite_runner.ts";

runSuite(realGround, { hasNode: !process.env.HOLDFAST_TEST_NODELESS });
