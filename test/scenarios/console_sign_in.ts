import type { Browser, Page } from "playwright-core";
import { createAuthority, issueServerCertificate } from "../../src/kube/certificates/certificates.ts";
import type { TlsIdentity } from "../../src/lib/https_server.ts";
import { systemRandom as random } from "../../src/lib/random.ts";

const DAY = 86_400_000;

/** What a console as on a cluster shows browsers at `localhost`. Nobody vouches for it. */
export function localhostIdentity(): TlsIdentity {
  const validity = { notBefore: Date.now() - DAY, notAfter: Date.now() + DAY };
  const authority = createAuthority({ name: "tests", validity, random });
  return issueServerCertificate({ authority, validity, random, names: { dns: ["localhost"], ip: [] } });
}

/** Opens a page of a console in a browser of its own. */
export async function opened(browser: Browser, url: URL): Promise<Page> {
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(url.href);
  return page;
}

export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** The same, by somebody with a token, once the page shows what it is about. */
export async function signedIn(browser: Browser, url: URL, token: string): Promise<Page> {
  const page = await opened(browser, url);
  await signIn(page, token);
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  await settled(page);
  return page;
}

/** Waits until a page shows what it is about. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.locator(".loading").first().waitFor({ state: "detached" });
}

/** What somebody who only looks is shown of. */
export interface LookedAt {
  readonly namespace: string;
  /** A volume with backups. */
  readonly claim: string;
  /** A volume that nobody protects. */
  readonly unprotected: string;
  readonly backup: string;
}

/** Somebody who only looks is told which right is missing, action by action. */
export async function toldWhatIsMissing(
  page: Page,
  { namespace, claim, unprotected, backup }: LookedAt,
): Promise<void> {
  const open = (path: string) => page.goto(new URL(path, page.url()).href);
  const dialog = page.getByRole("dialog");
  await open(`/volumes/${namespace}/${claim}?ns=${namespace}`);
  for (const [name, right] of [
    [/^Back up now/, "create backups.kopiur.home-operations.com"],
    [/^Prove it/, "create restores.kopiur.home-operations.com"],
  ] as const) {
    await page.getByRole("button", { name }).click();
    await dialog.getByText(`you may not ${right} in namespace ${namespace}`).waitFor();
    await page.keyboard.press("Escape");
  }
  await open(`/volumes?ns=${namespace}&protect=${namespace}/${unprotected}`);
  await dialog.getByText("you may not create backupconfigs.kopiur.home-operations.com").waitFor();
  await open(`/files?ns=${namespace}&namespace=${namespace}&backup=${backup}`);
  await page.getByText(`you may not create jobs.batch in namespace ${namespace}`).waitFor();
}
