import { realGround } from "../conformance/world/real_ground.ts";
import { runSuite } from "../conformance/world/suite_runner.ts";

// The real server is what we go by, and its controllers hear of things late when the machine is busy: its garbage
// collector then takes children along that it had not seen yet. The embedded one gets one try.
runSuite(realGround, { hasNode: !process.env.HOLDFAST_TEST_NODELESS, retry: 1 });
