import { backendCases } from "../../src/engines/testing/backend_cases.ts";
import { storageSuite } from "../../src/engines/testing/suite.ts";
import { restic } from "./restic_engine.ts";
import { STORAGES } from "./servers.ts";

backendCases(restic, STORAGES);
// Storages differ in little that an engine sees: one stands for all servers in what takes minutes.
for (const storage of STORAGES.filter(({ name }) => name === "S3")) storageSuite(restic, storage);
