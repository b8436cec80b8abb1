import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { veleroDataPath } from "../scenarios/velero.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  veleroDataPath(embeddedWorld);
});
