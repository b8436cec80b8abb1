import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import type { Session } from "../src/cli/console/contract.ts";
import { openAccess } from "../src/embedded/access.ts";
import { serveHttps } from "../src/embedded/https_front.ts";
import { systemClock as clock } from "../src/lib/clock.ts";
import { listen } from "../src/lib/https_server.ts";
import { systemRandom as random } from "../src/lib/random.ts";
import { MadeUpCluster } from "../test/machine/made_up_cluster.ts";
import { PageGround } from "../test/machine/page_ground.ts";
import { openBrowser } from "../test/scenarios/browser.ts";
import { CliGround } from "../test/unit/cli/cli_ground.ts";
import { madeUpSession } from "../test/unit/cli/made_up_session.ts";
import { cacheFolder } from "../tools/cluster/folders.ts";
import { IMAGES } from "../tools/images/images.ts";
import { bundle } from "../tools/run/bundle.ts";
import { consolePage } from "../tools/run/console_page.ts";
import { atMost, type Figure, informs, median } from "./figures.ts";
import { each } from "./parallel.ts";
import { Program } from "./program.ts";

const VOLUMES = 1000;
const BACKUPS_EACH = 3;
const NAMESPACES = 10;
const OPENED = 5;
const ENTRIES = 10_000;
/** When the page begins to fetch the other screens, in milliseconds. */
const BEFOREHAND = 1_500;
/** Until what the opening left behind has been given back, in milliseconds. */
const SETTLES = 12_000;

/** The console as a Deployment starts it, and its page in a browser of this machine. */
export async function consoleFigures(say: (line: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-console-"));
  const browser = await openBrowser();
  try {
    return [...(await firstScreen(browser, folder, say)), await largeFolder(browser, say)];
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A browser in which nobody has been yet. */
const newPage = async (browser: Browser): Promise<Page> =>
  (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();

async function firstScreen(
  browser: Browser,
  folder: string,
  say: (line: string) => void,
): Promise<readonly Figure[]> {
  await using ground = await CliGround.open();
  say(`${VOLUMES} volumes with ${BACKUPS_EACH} Backups each`);
  await furnish(ground);
  const access = openAccess({ folder: join(folder, "keys"), clock, random });
  const { tls, token } = access;
  await using front = disposable(
    await serveHttps({ listen, tls: () => tls, token, handle: (request) => ground.handle(request) }),
  );
  const { program, address } = await start(folder, access, front.port);
  try {
    const [times, rests]: [number[], number[]] = [[], []];
    let bytes = 0;
    say(`opening it ${OPENED} times, each time as somebody who has just signed in`);
    for (let i = 0; i < OPENED; i++) {
      const page = await newPage(browser);
      const signIn = { data: { token }, headers: { "content-type": "application/json" } };
      const answer = await page.request.post(`${address}/api/sign-in`, signIn);
      const { csrf = "" } = (await answer.json()) as Session;
      const parts: Promise<Buffer>[] = [];
      const begun = performance.now();
      page.on("response", (response) => {
        const type = response.request().resourceType();
        // Later it fetches the other screens beforehand.
        const first = performance.now() - begun < BEFOREHAND;
        if (first && ["document", "script", "stylesheet"].includes(type)) parts.push(response.body());
      });
      await page.goto(address, { waitUntil: "commit" });
      await page.locator(".verdict").waitFor();
      times.push(performance.now() - begun);
      const sizes = (await Promise.all(parts)).map((body) => gzipSync(body).length);
      bytes = Math.max(
        bytes,
        sizes.reduce((sum, one) => sum + one, 0),
      );
      await pause(SETTLES);
      rests.push(program.rss);
      await page.request.post(`${address}/api/sign-out`, { headers: { "x-holdfast-csrf": csrf } });
      await page.context().close();
    }
    return [
      atMost(`first screen with ${VOLUMES} volumes, after the sign-in`, median(times), "ms", 1500),
      informs("the same, at worst", Math.max(...times), "ms"),
      atMost("first screen, gzipped", bytes / 1000, "kB", 250),
      atMost(`memory of the server with ${VOLUMES} volumes, while somebody looks`, median(rests), "MB", 90),
      informs("the most that it has been", program.mostRss, "MB"),
    ];
  } finally {
    await program.end();
  }
}

async function furnish({ client }: CliGround): Promise<void> {
  const cluster = new MadeUpCluster(client);
  for (let i = 0; i < NAMESPACES; i++) await cluster.namespace(`team-${i}`);
  await each(VOLUMES, async (i) => {
    const [namespace, name] = [`team-${i % NAMESPACES}`, `volume-${i}`];
    await cluster.claim(namespace, name);
    await cluster.plan(namespace, name);
    for (let b = 0; b < BACKUPS_EACH; b++) await cluster.backup(namespace, name, 1 + 24 * b, `s${b}`);
  });
}

async function start(folder: string, access: { readonly ca: string }, apiServer: number) {
  const certificates = join(folder, "certificates");
  mkdirSync(certificates);
  const own = openAccess({ folder: join(folder, "own"), clock, random });
  writeFileSync(join(certificates, "tls.crt"), own.tls.cert);
  writeFileSync(join(certificates, "tls.key"), own.tls.key);
  writeFileSync(join(folder, "ca.crt"), access.ca);
  const { path } = await bundle(
    fileURLToPath(new URL("../src/main/console.ts", import.meta.url)),
    folder,
    "console",
  );
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const program = new Program(path, [], {
    flags: IMAGES.console.flags,
    compileCache: false,
    env: {
      ...env,
      ...IMAGES.console.env,
      HOLDFAST_CONSOLE: await consolePage(cacheFolder()),
      HOLDFAST_CONSOLE_PORT: "0",
      HOLDFAST_HEALTH_PORT: "0",
      HOLDFAST_CONSOLE_CERTIFICATES: certificates,
      HOLDFAST_CONSOLE_API_SERVER: `https://127.0.0.1:${apiServer}`,
      HOLDFAST_CONSOLE_API_CA: join(folder, "ca.crt"),
      HOLDFAST_LOG_FORMAT: "json",
    },
  });
  const line = await program.line((one) => one.includes("the console serves"));
  const { port } = JSON.parse(line) as { readonly port: number };
  return { program, address: `https://localhost:${port}` };
}

/** With a session that answers at once, which leaves what the console itself takes. */
async function largeFolder(browser: Browser, say: (line: string) => void): Promise<Figure> {
  const files = Object.fromEntries(Array.from({ length: ENTRIES }, (_, i) => [`many/file-${i}.txt`, "x"]));
  await using ground = await PageGround.open({ openSession: async () => madeUpSession({ s: files }) });
  const cluster = new MadeUpCluster(ground.client);
  await cluster.namespace("home");
  await cluster.claim("home", "data");
  await cluster.plan("home", "data");
  await cluster.backup("home", "data", 1, "s");
  say(`opening a folder of ${ENTRIES} entries, ${OPENED} times`);
  const times: number[] = [];
  for (let i = 0; i < OPENED; i++) {
    const page = await newPage(browser);
    await page.goto(ground.address);
    await page.locator(".verdict").waitFor();
    await page.goto(new URL("/files?namespace=home&backup=data-s", page.url()).href);
    const folder = page.getByRole("grid").getByText("many", { exact: true });
    await folder.waitFor();
    const begun = performance.now();
    await folder.dblclick();
    await page.getByRole("grid").getByText("file-0.txt", { exact: true }).waitFor();
    times.push(performance.now() - begun);
    await page.context().close();
  }
  return atMost(`opening a folder of ${ENTRIES} entries, beyond the engine`, median(times), "ms", 1000);
}

function disposable<T extends { close(signal: AbortSignal): Promise<void> }>(server: T): T & AsyncDisposable {
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close(AbortSignal.abort()) });
}
