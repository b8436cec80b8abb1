import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { faults } from "../scenarios/faults.ts";
import { fullCaches } from "../scenarios/faults_full_cache.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  faults(embeddedWorld);
  fullCaches();
});
