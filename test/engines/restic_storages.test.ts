import { backendCases } from "../../src/engines/testing/backend_cases.ts";
import { restic } from "./restic_engine.ts";
import { STORAGES } from "./servers.ts";

backendCases(restic, STORAGES);
