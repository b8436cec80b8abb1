import type { EngineName } from "../../src/wire/capabilities.ts";
import { Moments } from "./faults_moments.ts";

const onCluster = process.env.HOLDFAST_TEST_CLUSTER !== undefined;

/**
 * Both engines in the embedded world, and in the long run. On a real cluster, where a scenario takes minutes, one of
 * them, another each time.
 */
export const SCENARIO_ENGINES: readonly EngineName[] = onCluster
  ? new Moments(17).engines()
  : ["kopia", "restic"];
