import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { sampleApi } from "../scenarios/sample_api.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  sampleApi(embeddedWorld);
});
