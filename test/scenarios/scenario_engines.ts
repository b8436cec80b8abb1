import type { EngineName } from "../../src/wire/capabilities.ts";
import { Moments, onCluster } from "./faults_moments.ts";

/** The engine of a scenario that takes long: both in the long run. */
export const SCENARIO_ENGINES: readonly EngineName[] = new Moments(21).engines();

/** For a scenario that is not in every run on a cluster: both engines in the embedded world. */
export const EMBEDDED_ENGINES: readonly EngineName[] = onCluster ? SCENARIO_ENGINES : ["kopia", "restic"];
