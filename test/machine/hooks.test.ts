import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { hooks } from "../scenarios/hooks.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  hooks(embeddedWorld);
});
