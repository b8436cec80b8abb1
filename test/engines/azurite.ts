import { execFileSync, spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { dirname, join } from "node:path";
import { type RunningStorage, StorageUnavailable } from "../../src/engines/testing/backend_cases.ts";
import { cacheFolder } from "../../tools/cluster/folders.ts";
import { freePort } from "../../tools/cluster/free_port.ts";
import { localNames } from "./local_names.ts";
import { listening, stop } from "./serving.ts";

const VERSION = "3.37.0";
const ACCOUNT = "holdfasttests";

/**
 * Azure's storage on this machine. It is an npm package too large to be installed with the project's own: it is put
 * into the cache when it is first needed.
 */
export async function startAzurite(folder: string): Promise<RunningStorage> {
  const port = await freePort();
  const name = `${ACCOUNT}.blob.core.windows.net`;
  const names = await localNames(folder, { [name]: port });
  const key = randomBytes(64).toString("base64");
  await mkdir(join(folder, "data"));
  const main = program();
  const patch = join(folder, "patch.cjs");
  await writeFile(patch, emptyTierIsHot(main));
  const child = spawn(
    process.execPath,
    [
      ...["--require", patch, main, "--location", join(folder, "data"), "--silent", "--skipApiVersionCheck"],
      ...["--disableTelemetry", "--blobHost", "127.0.0.1", "--blobPort", `${port}`],
      ...["--cert", names.certificate, "--key", names.key],
    ],
    { env: { PATH: process.env.PATH, HOME: folder, AZURITE_ACCOUNTS: `${ACCOUNT}:${key}` }, cwd: folder },
  );
  await listening(child, port);
  await makeContainer({ port, key, container: "container", ca: names.ca });
  const at = (container: string, prefix: string, AZURE_STORAGE_KEY: string) => ({
    backend: { azure: { container, prefix, account: ACCOUNT, tls: { ca: names.ca } } },
    credentials: { AZURE_STORAGE_KEY },
  });
  return {
    env: names.env,
    at: (prefix) => at("container", prefix, key),
    bucketMissing: at("no-such-container", "x", key),
    forbidden: at("container", "x", randomBytes(64).toString("base64")),
    stop: async () => {
      await stop(child);
      await names.stop();
    },
  };
}

/** restic names an empty class of storage unless it is told one, which Azure takes for the usual and azurite refuses. */
function emptyTierIsHot(main: string): string {
  const handler = JSON.stringify(join(dirname(main), "handlers", "BlockBlobHandler.js"));
  return `const { prototype } = require(${handler}).default;
const { parseTier } = prototype;
prototype.parseTier = function (tier) { return parseTier.call(this, tier || "Hot"); };
`;
}

/** Azurite's program for blobs, installed on first use. Throws where neither cache nor registry has it. */
function program(): string {
  const home = join(cacheFolder(), "packages", "azurite", VERSION);
  const path = join(home, "node_modules", "azurite", "dist", "src", "blob", "main.js");
  if (!existsSync(path)) install(home);
  return path;
}

/** What it would send its telemetry with, of which it needs nothing while that is switched off. */
const TELEMETRY = ["@azure/monitor-opentelemetry", "@azure/monitor-opentelemetry-exporter"];

/** Installs it beside its place and moves it there: others may be at it, too. */
function install(home: string): void {
  mkdirSync(dirname(home), { recursive: true });
  const beside = mkdtempSync(`${home}-`);
  const nothing = join(beside, "nothing");
  mkdirSync(nothing);
  writeFileSync(join(nothing, "package.json"), JSON.stringify({ name: "nothing", version: "1.0.0" }));
  writeFileSync(join(nothing, "index.js"), "");
  const overrides = Object.fromEntries(TELEMETRY.map((name) => [name, "file:./nothing"]));
  const wanted = { private: true, dependencies: { azurite: VERSION }, overrides };
  writeFileSync(join(beside, "package.json"), JSON.stringify(wanted));
  try {
    const quiet = ["--no-audit", "--no-fund", "--ignore-scripts"];
    execFileSync("npm", ["install", ...quiet], { cwd: beside, stdio: "pipe" });
    if (!existsSync(home)) renameSync(beside, home);
  } catch (cause) {
    throw new StorageUnavailable(`azurite ${VERSION} is not in the cache and cannot be installed`, { cause });
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

interface NewContainer {
  readonly port: number;
  readonly key: string;
  readonly container: string;
  readonly ca: string;
}

async function makeContainer({ port, key, container, ca }: NewContainer): Promise<void> {
  const headers = { "x-ms-date": new Date().toUTCString(), "x-ms-version": "2021-08-06" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  // The account is in the path once for the server and once for the resource.
  const resource = `/${ACCOUNT}/${ACCOUNT}/${container}\nrestype:container`;
  const text = `PUT${"\n".repeat(12)}${lines.join("")}${resource}`;
  const signature = createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("base64");
  const path = `/${ACCOUNT}/${container}?restype=container`;
  const sent = { ...headers, "content-length": "0", authorization: `SharedKey ${ACCOUNT}:${signature}` };
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port, path, method: "PUT", headers: sent, ca });
    asking.once("response", (response) => resolve(response.resume().statusCode));
    asking.once("error", reject);
    asking.end();
  });
  if (status !== 201) throw new Error(`azurite made no container: ${status}`);
}
