import { backendCases } from "../../src/engines/testing/backend_cases.ts";
import { restic } from "../engines/restic_engine.ts";
import { STORAGES } from "../engines/servers.ts";

backendCases(restic, STORAGES);
