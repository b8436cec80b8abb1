import { describe } from "vitest";
import { acrossNamespaces } from "../scenarios/across_namespaces.ts";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  acrossNamespaces(embeddedWorld, { reaching: true });
});
