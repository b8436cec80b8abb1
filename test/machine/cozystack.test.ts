import { describe } from "vitest";
import { cozystackPlans } from "../scenarios/cozystack.ts";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  cozystackPlans(embeddedWorld);
});
