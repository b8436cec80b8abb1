import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { plumberScenarios } from "../scenarios/plumber.ts";
import { plumberLostCluster } from "../scenarios/plumber_lost.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  plumberScenarios(embeddedWorld);
  plumberLostCluster(embeddedWorld);
});
