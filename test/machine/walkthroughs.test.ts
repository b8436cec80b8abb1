import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { walkthroughs } from "../scenarios/walkthroughs.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  walkthroughs(embeddedWorld);
});
