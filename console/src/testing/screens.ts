import type { Page } from "playwright-core";

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
    prepare: (page) => page.getByRole("button", { name: "For this page" }).click(),
  },
];
