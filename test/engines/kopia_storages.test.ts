import { backendCases } from "../../src/engines/testing/backend_cases.ts";
import { kopia } from "./kopia_engine.ts";
import { STORAGES } from "./servers.ts";

backendCases(kopia, STORAGES);
