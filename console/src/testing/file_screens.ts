import type { Page } from "playwright-core";
import type { LookedAt } from "./screens.ts";

const OF = "namespace=home&backup=documents-49996&pvc=documents&volume=home%2Fdocuments";
const press = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first().click();

/** Files, differences, restores, and what is lost. */
export const FILE_SCREENS: readonly LookedAt[] = [
  { name: "files-start", path: "/files" },
  { name: "files", path: `/files?${OF}` },
  { name: "files-many", path: `/files?${OF}&path=many` },
  { name: "files-empty", path: `/files?${OF}&path=letters%2F2026` },
  {
    name: "files-text",
    path: `/files?${OF}&path=letters&file=anna.txt`,
    prepare: async (page) => {
      await press("Show its versions in all snapshots")(page);
      await page.getByRole("table").waitFor();
    },
  },
  { name: "files-picture", path: `/files?${OF}&path=photos&file=me.png` },
  { name: "files-search", path: `/files?${OF}&find=*.txt` },
  { name: "diff", path: "/diff?namespace=home&newer=documents-49996&pvc=documents&volume=home%2Fdocuments" },
  {
    name: "diff-now",
    path: "/diff?namespace=home&newer=documents-49996&pvc=documents&volume=home%2Fdocuments",
    prepare: press(/Compare with the volume now/),
  },
  { name: "restore-start", path: "/restore" },
  {
    name: "restore-new",
    path: `/restore?${OF}`,
    prepare: async (page) => {
      await press("Show the plan")(page);
      await page.getByRole("heading", { name: "The plan" }).waitFor();
    },
  },
  {
    name: "restore-place",
    path: `/restore?${OF}&target=existing&targetName=documents&deleteExtra=yes`,
    prepare: async (page) => {
      await press("Show the plan")(page);
      await page.getByLabel(/to confirm/).fill("documents");
    },
  },
  {
    name: "restore-runs",
    path: `/restore?${OF}&target=existing&targetName=documents&scaleDown=yes`,
    prepare: async (page) => {
      await press("Show the plan")(page);
      await page.getByLabel(/to confirm/).fill("documents");
      await press("Restore now")(page);
      await page.getByText("31.0 MiB/s").waitFor();
    },
  },
  {
    name: "restore-done",
    path: `/restore?${OF}&target=existing&targetName=documents&scaleDown=yes`,
    prepare: async (page) => {
      await press("Show the plan")(page);
      await page.getByLabel(/to confirm/).fill("documents");
      await press("Restore now")(page);
      await page.getByText("Came back").waitFor();
    },
  },
  { name: "restore-undo", path: "/restore?namespace=home&undo=restore%2Fdocuments-x7" },
  { name: "restore-made", path: "/restore?namespace=home&made=mail-back" },
  { name: "lost", path: "/lost" },
  {
    name: "lost-runs",
    path: "/lost",
    prepare: async (page) => {
      await press(/^Restore \d+ of/)(page);
      await page.getByText("is not there").waitFor();
    },
  },
];
