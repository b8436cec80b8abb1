import { mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { LaunchError } from "./errors.mjs";
import { ensurePrograms, namesVersion } from "./programs.mjs";
import { calm, recordedProgress, temporaryFolder, writeScript } from "./testing.ts";

/** A Go that writes its arguments and settings where it should write the program. */
const FAKE_GO = `
all="$*"
while [ "$1" != "-o" ]; do shift; done
echo "$CGO_ENABLED $GOOS $GOWORK $PWD $all" > "$2"
chmod +x "$2"`;

async function setting({ go = FAKE_GO }: { go?: string | undefined } = {}) {
  const folder = await temporaryFolder();
  const bin = join(folder, "bin");
  const moduleFolder = join(folder, "module");
  await mkdir(bin);
  await mkdir(moduleFolder);
  if (go !== "") await writeScript(join(bin, "go"), go);
  const program = {
    name: "tool",
    version: "1.2.3",
    package: "example.org/tool",
    ldflags: "-X main.v=1.2.3",
    tags: "small",
    moduleFolder,
    versionArgs: ["--version"],
  };
  const cache = join(folder, "cache");
  const progress = recordedProgress();
  const system = go === "" ? "" : ":/usr/bin:/bin";
  return {
    bin,
    program,
    cached: join(cache, "programs", "tool", "1.2.3", "tool"),
    surroundings: { cache, env: { PATH: `${bin}${system}`, GOOS: "plan9" }, progress, signal: calm },
  };
}

test("ensurePrograms() takes a cached program without running it", async () => {
  const { program, cached, surroundings } = await setting();
  await mkdir(dirname(cached), { recursive: true });
  await writeScript(cached, "exit 1");
  expect(await ensurePrograms([program], surroundings)).toEqual({ tool: cached });
  expect(surroundings.progress.lines).toEqual([]);
});

test("ensurePrograms() takes a program on PATH when it is exactly the pinned version", async () => {
  const { bin, program, surroundings } = await setting();
  await writeScript(join(bin, "tool"), "echo tool version v1.2.3");
  expect(await ensurePrograms([program], surroundings)).toEqual({ tool: join(bin, "tool") });
});

test("ensurePrograms() looks on PATH for a second version of a program under the name that others know", async () => {
  const { bin, program, surroundings } = await setting();
  await writeScript(join(bin, "tool"), "echo tool version v1.2.3");
  const second = { ...program, name: "tool-1.2", executable: "tool" };
  expect(await ensurePrograms([second], surroundings)).toEqual({ "tool-1.2": join(bin, "tool") });
});

test("ensurePrograms() builds what PATH has in another version, for this machine, without C", async () => {
  const { bin, program, cached, surroundings } = await setting();
  await writeScript(join(bin, "tool"), "echo tool version v1.2.30");
  expect(await ensurePrograms([program], surroundings)).toEqual({ tool: cached });
  const built = await readFile(cached, "utf8");
  expect(built).toMatch(
    new RegExp(
      `^0  off ${program.moduleFolder} build -trimpath -buildvcs=false -gcflags=all=-dwarf=false -ldflags -s -w -X main.v=1.2.3 -tags small -o `,
    ),
  );
  expect(built.trim().endsWith(" example.org/tool")).toBe(true);
  expect(surroundings.progress.lines).toEqual(["building tool 1.2.3"]);
});

test("ensurePrograms() builds in a workspace what shares its versions with others", async () => {
  const { program, cached, surroundings } = await setting();
  await ensurePrograms([{ ...program, workspace: "/programs/shared.work" }], surroundings);
  expect(await readFile(cached, "utf8")).toMatch(/^0 {2}\/programs\/shared\.work /);
});

test("ensurePrograms() removes what an interrupted build left, and leaves nothing itself", async () => {
  const { program, cached, surroundings } = await setting();
  const folder = dirname(dirname(cached));
  await mkdir(join(folder, ".work-1"), { recursive: true });
  await ensurePrograms([program], surroundings);
  expect(await readdir(folder)).toEqual(["1.2.3"]);
});

test("ensurePrograms() asks a host that is out of reach only once", async () => {
  const { program, surroundings } = await setting();
  const release = { asset: "http://127.0.0.1:1/tool", checksums: "http://127.0.0.1:1/sums" };
  await ensurePrograms(
    [
      { ...program, release },
      { ...program, name: "other", release },
    ],
    surroundings,
  );
  expect(surroundings.progress.lines).toEqual([
    "downloading tool 1.2.3",
    expect.stringMatching(/^127\.0\.0\.1:1 cannot be reached \(.*\); building from source instead$/),
    "building tool 1.2.3",
    "building other 1.2.3",
  ]);
});

test("ensurePrograms() does not download when told so", async () => {
  const { program, surroundings } = await setting();
  const release = { asset: "http://127.0.0.1:1/tool", checksums: "http://127.0.0.1:1/sums" };
  const env = { ...surroundings.env, HOLDFAST_DOWNLOAD: "off" };
  await ensurePrograms([{ ...program, release }], { ...surroundings, env });
  expect(surroundings.progress.lines).toEqual(["building tool 1.2.3"]);
});

test("ensurePrograms() says for every missing program what was tried and what to install", async () => {
  const { program, surroundings } = await setting({ go: "" });
  const release = { asset: "https://example.org/tool-1.2.3", checksums: "https://example.org/sums" };
  const env = { ...surroundings.env, HOLDFAST_DOWNLOAD: "off" };
  const failed = ensurePrograms(
    [
      { ...program, release },
      { ...program, name: "other" },
    ],
    { ...surroundings, env },
  );
  await expect(failed).rejects.toThrow(LaunchError);
  await expect(failed).rejects.toThrow(
    `tool 1.2.3 is needed:
  on PATH: not in exactly this version
  download: switched off by HOLDFAST_DOWNLOAD
  build: Go is not installed
  its release: https://example.org/tool-1.2.3
other 1.2.3 is needed:
  on PATH: not in exactly this version
  download: there is no release for this machine
  build: Go is not installed
Put these on PATH, or install Go >= 1.26 (https://go.dev/dl) and run again.`,
  );
});

test("ensurePrograms() shows the end of a failed build, without what Go downloaded", async () => {
  const { program, surroundings } = await setting({
    go: "echo go: downloading example.org/x v1 >&2; echo main.go:1: oops >&2; exit 1",
  });
  await expect(ensurePrograms([program], surroundings)).rejects.toThrow(
    `build: go exited with 1 in ${program.moduleFolder}:\n    main.go:1: oops\n`,
  );
});

test.each([
  ["restic 0.18.1 compiled with go1.26.8 on linux/amd64", "0.18.1", true],
  ["v3.22.0+gabcdef", "3.22.0", true],
  ["Kubernetes v1.34.4", "1.34.4", true],
  ["Kubernetes v1.34.40", "1.34.4", false],
  ["Kubernetes v1.34.4-rc.1", "1.34.4", false],
  ["tool 11.34.4", "1.34.4", false],
  ["tool 1.34.4.1", "1.34.4", false],
  ["tool 1x34x4", "1.34.4", false],
  ["", "1.34.4", false],
])("namesVersion(%j, %j) is %j", (printed, version, expected) => {
  expect(namesVersion(printed, version)).toBe(expected);
});
