import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./tools/run/longest_first.ts";
import { MUTATION, mutationPlugin } from "./tools/run/mutation_plugin.ts";

/** Files whose tests start real programs, or a control plane for every case, which takes seconds: apart from the quick inner loop. */
const machine = [
  "src/core/volumes/populator/population_crashes.test.ts",
  "src/core/volumes/staging/{carry_out_staging,staging_crashes,staging_groups}.test.ts",
  "src/embedded/node/**/*.test.ts",
  "src/lib/{fifo,full_pipe}.test.ts",
  "src/lib/process_groups.test.ts",
  "test/machine/**/*.test.ts",
  "test/unit/conformance.test.ts",
  "test/unit/runs/**/*.test.ts",
];
const engines = ["src/engines/**/*.test.ts", "test/engines/**/*.test.ts"];
/** Every storage with both engines takes long, and servers that only the full matrix brings. */
const storages = process.env.HOLDFAST_LONG ? [] : ["test/engines/*_storages.test.ts"];
/** Tests with real programs wait for them much of the time: more files side by side than there are processors. */
const waiting = Math.ceil(availableParallelism() * 1.5);
/** Where the time goes is kept of every file. */
const setupFiles = "tools/run/processor_time.ts";
/** What is waited for comes soon, but for a machine that has much to do. */
const expect = { poll: { timeout: 20_000 } };
/**
 * What the tests on a cluster have to say of an API server alone, whatever its version. Not those that hold our own API
 * server to the pinned one: others say some things in other words.
 */
const nodeless = "test/cluster/{admission,client,kopiur_admission,kopiur_kinds,rights,write}.test.ts";

export default defineConfig({
  test: {
    // What a mutation makes of a file must be read by no other run.
    fsModuleCache: !process.env[MUTATION],
    // By default one processor would be left to itself.
    maxWorkers: "100%",
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        plugins: [mutationPlugin(process.env)],
        test: {
          name: "unit",
          expect,
          include: [
            "src/**/*.test.ts",
            "console/src/**/*.test.ts",
            "tools/**/*.test.ts",
            "test/unit/**/*.test.ts",
          ],
          exclude: [...machine, ...engines],
          setupFiles: [setupFiles, "tools/run/bounded_properties.ts"],
          pool: "threads",
          isolate: false,
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "machine",
          expect,
          setupFiles,
          include: machine,
          pool: "forks",
          maxWorkers: waiting,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "engines",
          expect,
          setupFiles,
          include: engines,
          exclude: storages,
          pool: "forks",
          maxWorkers: waiting,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: { name: "images", setupFiles, include: ["test/images/**/*.test.ts"], pool: "forks" },
      },
      {
        test: {
          name: "cluster",
          expect,
          setupFiles,
          include: ["test/cluster/**/*.test.ts"],
          pool: "forks",
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: "versions",
          expect,
          setupFiles,
          include: ["test/versions/**/*.test.ts", nodeless],
          pool: "forks",
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
