import type { Page } from "playwright-core";
import { expect } from "vitest";

const SLOW = { timeout: 60_000 };
/** For what a mover does meanwhile. */
const RUNS = { timeout: 120_000 };

/** Somebody with the console open, who cares for one volume and does everything by clicks. */
export class ConsoleVisit {
  readonly page: Page;
  /** What the page's own scripts and the browser complained of. */
  readonly complaints: string[] = [];
  readonly #namespace: string;
  readonly #claim: string;

  constructor(page: Page, { namespace, claim }: { readonly namespace: string; readonly claim: string }) {
    this.page = page;
    this.#namespace = namespace;
    this.#claim = claim;
    page.on("pageerror", ({ message }) => this.complaints.push(message));
    page.on("console", (said) => {
      if (said.type() === "error") this.complaints.push(said.text());
    });
  }

  async open(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.page.url()).href);
  }

  async openVolume(): Promise<void> {
    await this.open(`/volumes/${this.#namespace}/${this.#claim}`);
    await this.heading(`${this.#namespace}/${this.#claim}`);
  }

  heading(name: string | RegExp): Promise<void> {
    return this.page.getByRole("heading", { name, level: 1 }).waitFor(SLOW);
  }

  click(role: "button" | "link", name: string | RegExp): Promise<void> {
    return this.page.getByRole(role, { name }).first().click(SLOW);
  }

  /** From the overview, which says that nobody protects it. `read`: default what the page proposes. */
  async protect({ read }: { readonly read?: "Direct" } = {}): Promise<void> {
    await this.click("link", `Protect ${this.#namespace}/${this.#claim}`);
    const dialog = this.page.getByRole("dialog");
    const capture = dialog.getByLabel("What is read");
    await capture.waitFor(SLOW);
    if (read) await capture.selectOption(read, SLOW);
    await this.click("button", "Show what it writes");
    await dialog.getByText("kind: BackupSchedule").waitFor(SLOW);
    await this.click("button", "Write it");
    await dialog.getByText("Written").waitFor(SLOW);
    await dialog.getByRole("button", { name: "Close" }).first().click();
  }

  async backUpNow(): Promise<void> {
    await this.openVolume();
    await this.page.getByRole("heading", { name: "Snapshots" }).waitFor(SLOW);
    const rows = this.page.getByRole("table", { name: "Snapshots" }).getByRole("row");
    const before = await rows.count();
    await this.click("button", "Back up now");
    const dialog = this.page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Back up now" }).click(SLOW);
    // One is the cross, and the other comes when it is over.
    await dialog.getByRole("button", { name: "Close", exact: true }).nth(1).click(RUNS);
    // The page is told of it, and so has it a moment later; the first one comes with a head.
    await expect.poll(() => rows.count()).toBe(Math.max(2, before + 1));
  }

  /** From the volume's own page: opens a file of the newest snapshot, and waits until that text shows. */
  async openFile(folder: string, file: string, text: string): Promise<void> {
    await this.page.getByRole("main").getByRole("link", { name: "Files", exact: true }).first().click(SLOW);
    await this.page.getByRole("grid").getByText(folder, { exact: true }).dblclick(RUNS);
    await this.page.getByRole("grid").getByText(file, { exact: true }).dblclick(SLOW);
    await this.page.getByText(text).waitFor(SLOW);
  }

  /** With a file open: has the version of this size back. `onVersions`: once they show. */
  async restoreVersion(size: string, onVersions?: () => Promise<void>): Promise<void> {
    await this.click("button", "Show its versions in all snapshots");
    const version = this.page.getByRole("dialog").getByRole("row", { name: size });
    await version.waitFor(RUNS);
    await onVersions?.();
    await version.getByRole("link", { name: "Restore…" }).click(SLOW);
    await this.restorePlanned();
  }

  /** On the page of a restore: its plan, the confirmation, and the end. `onPlan`: once all of that is filled in. */
  async restorePlanned(onPlan?: () => Promise<void>): Promise<void> {
    await this.click("button", "Show the plan");
    const confirmed = this.page.getByLabel(/to confirm/);
    await confirmed.waitFor(SLOW);
    await expect(this.page.getByRole("button", { name: "Restore now" }).isDisabled()).resolves.toBe(true);
    await confirmed.fill(this.#claim);
    await onPlan?.();
    await this.click("button", "Restore now");
    await this.page.getByText("Came back").waitFor(RUNS);
  }
}
