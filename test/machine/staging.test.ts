import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { staging } from "../scenarios/staging.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  staging(embeddedWorld);
});
