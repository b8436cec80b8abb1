import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { kopia, kopiaProgram } from "../../../test/engines/kopia_engine.ts";
import { systemClock } from "../../lib/clock.ts";
import { systemRandom } from "../../lib/random.ts";
import { systemStreamedProcesses } from "../../lib/streamed_process.ts";
import { Ground, snapshotOf } from "../testing/ground.ts";
import { KopiaEngine } from "./kopia_engine.ts";

const run = promisify(execFile);
const SETTINGS = {
  fidelity: "Full",
  ignore: { paths: ["/lost+found", "*.tmp"], files: [".ignored"], cacheDirs: true },
  compression: { compressor: "s2-default", neverCompress: ["*.zip"] },
  splitter: "FIXED-1M",
  oneFileSystem: true,
  unreadable: "Skip",
  parallel: 3,
  extraArgs: ["--checkpoint-interval=9m"],
} as const;

/** A snapshot with these settings, and what kopia was told and holds then. */
async function taken(settings: object) {
  const said: (readonly string[])[] = [];
  await using ground = await Ground.make(kopia, {
    processes: {
      start(command, args, options) {
        if (args.includes("create") && !args.includes("--stdin-file=attributes")) said.push(args);
        return systemStreamedProcesses.start(command, args, options);
      },
    },
  });
  const repository = await ground.repository();
  const source = await ground.tree("src", [{ path: "a", file: { text: "a" } }]);
  // Two pieces of a fixed megabyte, and always one of kopia's own splitter, whose least piece is two.
  await writeFile(`${source}/large`, randomBytes(1_500_000));
  const { snapshot } = await repository.snapshot(snapshotOf(source, settings));
  const bare = async (...args: readonly string[]) => {
    const env = {
      HOME: ground.path("home"),
      KOPIA_CONFIG_PATH: ground.path("bare.config"),
      KOPIA_PASSWORD: ground.password,
      KOPIA_CHECK_FOR_UPDATES: "false",
    };
    return (await run(kopiaProgram(), args, { env })).stdout;
  };
  await bare("repository", "connect", "filesystem", `--path=${ground.path("repository")}`);
  const policy: unknown = JSON.parse(await bare("policy", "show", `app@shop:${source}`, "--json"));
  const index = JSON.parse(await bare("show", `${snapshot.root}`)) as {
    entries: { name: string; obj: string }[];
  };
  const large = index.entries.find(({ name }) => name === "large")?.obj ?? "";
  return { policy, large, data: said.find((args) => args.includes(source)) ?? [] };
}

test("kopia gets every setting of a snapshot, and goes by it", { timeout: 120_000 }, async () => {
  const { policy, large, data } = await taken(SETTINGS);
  expect(policy).toMatchObject({
    files: {
      ignore: ["/lost+found", "*.tmp"],
      ignoreDotFiles: [".ignored"],
      ignoreCacheDirs: true,
      oneFileSystem: true,
    },
    compression: { compressorName: "s2-default", neverCompress: ["*.zip"] },
    splitter: { algorithm: "FIXED-1M" },
    errorHandling: { ignoreFileErrors: true, ignoreDirectoryErrors: true },
  });
  expect(data).toEqual(expect.arrayContaining(["--parallel=3", "--checkpoint-interval=9m"]));
  // An object of several pieces begins so; as a whole it would be one.
  expect(large).toMatch(/^Ix/);
});

test("what most sources want is inherited, and nothing of kopia's own comes with it", {
  timeout: 120_000,
}, async () => {
  const { policy, large } = await taken({ fidelity: "Full", ignore: { paths: ["/lost+found"] } });
  expect(policy).toMatchObject({
    retention: { keepLatest: 2_147_483_647, keepHourly: 0, keepDaily: 0 },
    files: { ignore: ["/lost+found"], ignoreCacheDirs: false },
    scheduling: { manual: true },
    compression: { compressorName: "zstd" },
  });
  expect(policy).not.toHaveProperty("files.ignoreDotFiles");
  expect(large).not.toMatch(/^I/);
});

test("kopia keeps to the limits of speed", { timeout: 120_000 }, async () => {
  const configs = new Set<string>();
  await using ground = await Ground.make(kopia, {
    processes: {
      start(command, args, options) {
        configs.add(options.env.KOPIA_CONFIG_PATH ?? "");
        return systemStreamedProcesses.start(command, args, options);
      },
    },
  });
  await ground.repository();
  configs.clear();
  ground.keep(
    await ground.engine.open(ground.location(), { limits: { upload: 2_000_000, download: 3_000_000 } }),
  );
  const [KOPIA_CONFIG_PATH = ""] = configs;
  const env = { HOME: ground.path("home"), KOPIA_CONFIG_PATH, KOPIA_PASSWORD: ground.password };
  const { stdout } = await run(kopiaProgram(), ["repository", "throttle", "get", "--json"], { env });
  expect(JSON.parse(stdout)).toMatchObject({
    maxUploadSpeedBytesPerSecond: 2_000_000,
    maxDownloadSpeedBytesPerSecond: 3_000_000,
  });
});

test("kopia reads as many files at once as the pod's limit allows, unless a snapshot says otherwise", {
  timeout: 120_000,
}, async () => {
  const said: string[] = [];
  await using ground = await Ground.make(kopia);
  const engine = new KopiaEngine({
    ...{ program: kopiaProgram(), fidelityProgram: kopia.programs()["holdfast-fidelity"] ?? "" },
    ...{ folder: ground.path("engine"), clock: systemClock, random: systemRandom, parallel: 7 },
    processes: {
      start(command, args, options) {
        said.push(...args.filter((arg) => arg.startsWith("--parallel=")));
        return systemStreamedProcesses.start(command, args, options);
      },
    },
  });
  const repository = ground.keep(await engine.create(ground.location()));
  const source = await ground.tree("src", [{ path: "a", file: { text: "a" } }]);
  const { snapshot } = await repository.snapshot(snapshotOf(source));
  await repository.snapshot(snapshotOf(source, { parallel: 2 }));
  await repository.restore({ snapshot: snapshot.id, target: ground.path("out") });
  expect(said).toEqual(["--parallel=7", "--parallel=2", "--parallel=7"]);
});

test.each([
  [{}, "BLAKE3-256-128", "DYNAMIC-4M-BUZHASH"],
  [{ hash: "BLAKE2B-256-128", splitter: "FIXED-4M" }, "BLAKE2B-256-128", "FIXED-4M"],
])(
  "a repository that is created with %j hashes with %s and splits by %s",
  {
    timeout: 120_000,
  },
  async (parameters, hash, splitter) => {
    await using ground = await Ground.make(kopia);
    const repository = ground.keep(await ground.engine.create(ground.location(), parameters));
    const env = {
      HOME: ground.path("home"),
      KOPIA_CONFIG_PATH: ground.path("bare.config"),
      KOPIA_PASSWORD: ground.password,
    };
    await run(
      kopiaProgram(),
      ["repository", "connect", "filesystem", `--path=${ground.path("repository")}`],
      {
        env,
      },
    );
    const { stdout } = await run(kopiaProgram(), ["repository", "status", "--json"], { env });
    expect(JSON.parse(stdout)).toMatchObject({
      uniqueIDHex: repository.id,
      contentFormat: { hash },
      objectFormat: { splitter },
    });
  },
);
