import { engineSuite } from "../../src/engines/testing/suite.ts";
import { kopia } from "./kopia_engine.ts";

engineSuite(kopia);
