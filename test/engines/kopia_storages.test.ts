import { backendCases } from "../../src/engines/testing/backend_cases.ts";
import { storageSuite } from "../../src/engines/testing/suite.ts";
import { kopia } from "./kopia_engine.ts";
import { ONE_OF_EACH_KIND, STORAGES } from "./servers.ts";

backendCases(kopia, STORAGES);
for (const storage of ONE_OF_EACH_KIND) storageSuite(kopia, storage);
