import { backendCases } from "../../src/engines/testing/backend_cases.ts";
import { kopia } from "../engines/kopia_engine.ts";
import { STORAGES } from "../engines/servers.ts";

backendCases(kopia, STORAGES);
