import { engineSuite } from "../../src/engines/testing/suite.ts";
import { kopia } from "../engines/kopia_engine.ts";

engineSuite(kopia);
