import type { EngineName } from "../../src/wire/capabilities.ts";
import { Moments } from "./faults_moments.ts";

const onCluster = process.env.HOLDFAST_TEST_CLUSTER !== undefined;

/** For scenarios that take minutes: one of the engines, another each time; both in the long run. */
export const HEAVY_ENGINES: readonly EngineName[] = new Moments(17).engines();

/** Both engines in the embedded world. On a real cluster every scenario takes minutes. */
export const SCENARIO_ENGINES: readonly EngineName[] = onCluster ? HEAVY_ENGINES : ["kopia", "restic"];
