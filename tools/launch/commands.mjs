import { join } from "node:path";
import { chosen } from "./matrix.mjs";
import { nodePackages } from "./packages.mjs";

/**
 * @typedef {object} Needs what must be there before a command starts
 * @property {readonly string[]} programs pinned programs, by name
 * @property {Readonly<Record<string, string>>} packages Debian packages, by the executable that they bring
 */

/**
 * @typedef {object} Command what `npm run <command>` starts
 * @property {string} summary
 * @property {readonly string[]} run arguments of Node: a file of the project, then its own arguments
 * @property {(args: readonly string[]) => Needs} [needs] by the arguments given; nothing if absent
 * @property {(cache: string) => NodeJS.ProcessEnv} [env] what is added to its environment
 */

/**
 * What Node made of the sources is kept for the next process.
 * @param {string} cache
 */
const compiled = (cache) => ({ NODE_COMPILE_CACHE: join(cache, "compiled") });
const engines = ["kopia", "restic", "holdfast-fidelity", "holdfast-sftp"];
/** What the mover's image holds in tests: of rclone only what they use. */
const moverImage = [...engines, "rclone-few"];
/** Engines whose keys cost nothing, which is for tests alone: see tools/images/test_engines.ts. */
export const forTestsAlone = ["kopia-cheap-keys", "restic-cheap-keys"];
/** Servers that tests keep repositories on, besides rclone. */
const storages = ["versitygw", "fake-gcs-server"];
/** What looks at the console's page in tests. */
const browser = { chromium: "chromium" };
/** A real Velero, for whose server Holdfast moves the data. */
const velero = ["velero", "velero-restore-helper", "velero-plugin-for-aws"];
/** What users may have instead of the versions that everything else runs with. */
const otherApiServers = ["kube-apiserver-1.34", "kube-apiserver-1.35", "kube-apiserver-1.36"];
export const otherVersions = [...otherApiServers, "kubectl-1.34", "helm-4"];
const olderVelero = ["velero-1.17", "velero-restore-helper-1.17"];
/** What only the full matrix has the time to build. */
export const forTheMatrix = [...otherVersions, ...olderVelero, "holdfast-collector"];
const nothing = { programs: [], packages: {} };
const apiServer = { programs: ["etcd", "kube-apiserver"], packages: { openssl: "openssl" } };
const controlPlane = {
  programs: [...apiServer.programs, "kube-controller-manager", "kubectl"],
  packages: apiServer.packages,
};
const cluster = {
  programs: [
    ...controlPlane.programs,
    "kube-scheduler",
    "kubelet",
    "containerd",
    "containerd-shim-runc-v2",
    "ctr",
    "kube-proxy",
    "csi-register",
    "hostpathplugin",
    "csi-provisioner",
    "csi-snapshotter",
    "snapshot-controller",
  ],
  packages: { ...controlPlane.packages, ...nodePackages },
};

/** @param {readonly string[]} args of tools/cluster/main.ts */
function clusterNeeds(args) {
  const quick = ["down", "status", "--help", "-h"];
  if (args.length === 0 || args.some((arg) => quick.includes(arg))) return nothing;
  const base = args.includes("--control-plane-only") ? controlPlane : cluster;
  const other = otherVersions.filter((name) =>
    args.some(
      (arg, at) => arg === `--api-server=${name}` || (arg === name && args[at - 1] === "--api-server"),
    ),
  );
  return { ...base, programs: [...base.programs, ...other] };
}

const machineTests = [...moverImage, ...forTestsAlone, "kubectl", "helm", "promtool", ...storages];
const clusterTests = {
  packages: { ...cluster.packages, ...browser },
  programs: [...cluster.programs, ...moverImage, ...forTestsAlone, "helm", "versitygw", ...velero],
};
/** @param {readonly string[]} other versions that are needed besides */
const clusterTestsWith = (other) => ({ ...clusterTests, programs: [...clusterTests.programs, ...other] });

/** @param {readonly string[]} args of tools/run/bench.ts */
function benchNeeds(args) {
  const named = args.filter((arg) => !arg.startsWith("--"));
  const onCluster = named.length === 0 || named.some((name) => ["populator", "velero"].includes(name));
  if (onCluster) return clusterTests;
  return {
    programs: [...apiServer.programs, ...engines],
    packages: { ...apiServer.packages, ...browser },
  };
}

/** What builds the Dockerfile, the images that it begins with, and runs a program for another processor. */
const imageBuilder = {
  buildah: "buildah",
  debootstrap: "debootstrap",
  "qemu-aarch64-static": "qemu-user-static",
};

/** @type {Readonly<Record<import("./matrix.mjs").Part, Needs>>} */
const matrixNeeds = {
  unit: { programs: [], packages: { zsh: "zsh", fish: "fish" } },
  mutations: nothing,
  machine: { programs: [...machineTests, "kubectl-1.34", "holdfast-collector"], packages: browser },
  engines: { programs: [...moverImage, ...storages], packages: {} },
  images: { programs: [], packages: imageBuilder },
  versions: clusterTestsWith([...otherApiServers, ...olderVelero, "helm-4"]),
  cluster: clusterTests,
  helm: clusterTestsWith(["helm-4"]),
};

/** @param {readonly string[]} args of tools/run/test_long.ts */
function longNeeds(args) {
  const needs = chosen(args).parts.map((part) => matrixNeeds[part]);
  return {
    programs: [...new Set(needs.flatMap(({ programs }) => programs))],
    packages: Object.assign({}, ...needs.map(({ packages }) => packages)),
  };
}

/** @type {Readonly<Record<string, Command>>} */
export const commands = {
  start: {
    summary: "run Holdfast on this machine, with a control plane of its own",
    // A small young generation: half the memory, for a few percent of the speed.
    run: ["--max-semi-space-size=2", "tools/run/start.ts"],
    needs: () => ({ programs: engines, packages: {} }),
    // Memory that its threads do not need any more goes back to the machine: each of them would keep some megabytes.
    env: (cache) => ({
      ...compiled(cache),
      MALLOC_ARENA_MAX: "2",
      MALLOC_TRIM_THRESHOLD_: "131072",
    }),
  },
  holdfast: {
    summary: "the command line, against the Holdfast of this machine or a cluster",
    run: ["tools/run/holdfast.ts"],
    env: compiled,
  },
  check: {
    summary: "types, lint and the unit tests of what changed: the quick inner loop",
    run: ["tools/run/check.ts"],
  },
  mutate: {
    summary: "change decisions one at a time, which the unit tests have to notice",
    run: ["tools/run/mutate.ts"],
    env: compiled,
  },
  test: {
    summary: "everything that needs no cluster",
    run: ["tools/run/test.ts"],
    needs: () => ({ programs: machineTests, packages: browser }),
    env: compiled,
  },
  "test:cluster": {
    summary: "the suites on a real cluster",
    run: ["tools/run/test_cluster.ts"],
    needs: () => clusterTests,
    env: compiled,
  },
  "test:long": {
    summary: "the full matrix; its results are kept in docs/results",
    run: ["tools/run/test_long.ts"],
    needs: longNeeds,
    env: compiled,
  },
  cluster: {
    summary: "a real cluster on this machine: up, down, status, load",
    run: ["tools/cluster/main.ts"],
    needs: clusterNeeds,
  },
  bench: {
    summary: "the figures, beside those of others",
    run: ["tools/run/bench.ts"],
    needs: benchNeeds,
  },
  generate: { summary: "write the generated files again", run: ["tools/run/generate.ts"] },
  format: {
    summary: "format, and fix what can be fixed",
    run: ["node_modules/@biomejs/biome/bin/biome", "check", "--write", "."],
  },
  site: { summary: "build the documentation's site", run: ["tools/run/site.ts"] },
  build: { summary: "bundle the programs", run: ["tools/run/build.ts"] },
  images: {
    summary: "build the images, without a registry",
    run: ["tools/run/images.ts"],
    needs: () => ({ programs: [...engines, "rclone"], packages: {} }),
  },
  provide: {
    summary: "get what another command needs, for later",
    run: ["-e", ""],
    needs: ([name = ""]) => (Object.hasOwn(commands, name) && commands[name]?.needs?.([])) || nothing,
  },
  summary: { summary: "sum up the results in the folder HOLDFAST_RESULTS", run: ["tools/run/summary.ts"] },
};
