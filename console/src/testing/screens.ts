import type { Page } from "playwright-core";
import { FILE_SCREENS } from "./file_screens.ts";

/** A screen to look at, and what is pressed there first. */
export interface LookedAt {
  readonly name: string;
  readonly path: string;
  readonly prepare?: (page: Page) => Promise<void>;
}

export const SCREENS: readonly LookedAt[] = [
  { name: "overview", path: "/" },
  {
    name: "overview-tools",
    path: "/",
    prepare: (page) => page.getByRole("button", { name: "Link, command, YAML" }).click(),
  },
  { name: "volumes", path: "/volumes" },
  { name: "volumes-filtered", path: "/volumes?state=wanting&text=home" },
  {
    name: "protect",
    path: "/volumes?protect=media/wiki",
    prepare: (page) => page.getByRole("radio").first().waitFor(),
  },
  {
    name: "protect-preview",
    path: "/volumes?protect=media/wiki",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Show what it writes" }).click();
      await page.getByRole("button", { name: "Write it" }).waitFor();
    },
  },
  { name: "volume", path: "/volumes/home/documents", prepare: (page) => page.locator("canvas").waitFor() },
  {
    name: "volume-denied",
    path: "/objects/backups.kopiur.home-operations.com/home/documents-20261118",
    prepare: (page) => page.getByRole("button", { name: /^Delete/ }).click(),
  },
  {
    name: "backup-now",
    path: "/volumes/home/documents",
    prepare: async (page) => {
      await page.getByRole("button", { name: /^Back up/ }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Back up now" }).click();
      await page.getByText("Done.").waitFor();
    },
  },
  {
    name: "snapshots",
    path: "/snapshots",
    prepare: (page) =>
      page
        .getByRole("link", { name: /^Restore/ })
        .first()
        .waitFor(),
  },
  { name: "object", path: "/objects/backups.kopiur.home-operations.com/home/documents-20261118" },
  { name: "activity", path: "/activity" },
  {
    name: "activity-log",
    path: "/activity",
    prepare: async (page) => {
      await page
        .getByRole("button", { name: /^Log of/ })
        .first()
        .click();
      await page.getByText("Done.").waitFor();
    },
  },
  { name: "schedules", path: "/schedules" },
  {
    name: "retention",
    path: "/schedules",
    prepare: async (page) => {
      await page
        .getByRole("button", { name: /^What retention/ })
        .first()
        .click();
      await page.getByText("Kept: 12").waitFor();
    },
  },
  { name: "repositories", path: "/repositories" },
  {
    name: "repository",
    path: "/repositories/Repository/home/nas",
    prepare: (page) => page.locator("canvas").waitFor(),
  },
  {
    name: "maintain",
    path: "/repositories/Repository/home/nas",
    prepare: async (page) => {
      await page.getByRole("button", { name: /^Maintain/ }).click();
      await page.getByLabel("How thoroughly").selectOption("full-immediate");
    },
  },
  { name: "doctor", path: "/doctor" },
  { name: "keys", path: "/", prepare: (page) => page.keyboard.press("?") },
  ...FILE_SCREENS,
];
