import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** Debian's name of it, and that of others. */
const NAMES = ["chromium", "chromium-browser"];

/** Opens the Chromium of this machine, without a window. */
export function openBrowser(): Promise<Browser> {
  // Root's processes have no sandbox; the only pages are our own.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: chromiumPath(), args });
}

function chromiumPath(): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isExecutable);
  if (found === undefined) throw new Error("there is no chromium on PATH: install Debian's package chromium");
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
