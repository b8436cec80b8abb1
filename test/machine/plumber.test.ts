import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { plumberScenarios } from "../scenarios/plumber.ts";
import { plumberLostCluster } from "../scenarios/plumber_lost.ts";
import { plumberVolsyncScenarios } from "../scenarios/plumber_volsync.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  plumberScenarios(embeddedWorld);
  plumberVolsyncScenarios(embeddedWorld);
  plumberLostCluster(embeddedWorld);
});
