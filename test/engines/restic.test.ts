import { engineSuite } from "../../src/engines/testing/suite.ts";
import { restic } from "./restic_engine.ts";

engineSuite(restic);
