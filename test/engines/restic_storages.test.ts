import { backendCases } from "../../src/engines/testing/backend_cases.ts";
import { storageSuite } from "../../src/engines/testing/suite.ts";
import { restic } from "./restic_engine.ts";
import { ONE_OF_EACH_KIND, STORAGES } from "./servers.ts";

backendCases(restic, STORAGES);
for (const storage of ONE_OF_EACH_KIND) storageSuite(restic, storage);
