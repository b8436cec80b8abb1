import { backendCases } from "../../src/engines/testing/backend_cases.ts";
import { storageSuite } from "../../src/engines/testing/suite.ts";
import { kopia } from "./kopia_engine.ts";
import { STORAGES } from "./servers.ts";

backendCases(kopia, STORAGES);
// Storages differ in little that an engine sees: one stands for all servers in what takes minutes.
for (const storage of STORAGES.filter(({ name }) => name === "S3")) storageSuite(kopia, storage);
