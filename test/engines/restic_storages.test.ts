import { backendCases } from "../../src/engines/testing/backend_cases.ts";
import { storageSuite } from "../../src/engines/testing/suite.ts";
import { ONE_OF_EACH_KIND, STORAGES } from "./servers.ts";
import { shippedRestic } from "./shipped_restic.ts";

backendCases(shippedRestic, STORAGES);
for (const storage of ONE_OF_EACH_KIND) storageSuite(shippedRestic, storage);
