import { engineSuite } from "../../src/engines/testing/suite.ts";
import { restic } from "../engines/restic_engine.ts";

engineSuite(restic, ["fidelity"]);
