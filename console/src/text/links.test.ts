import { expect, test } from "vitest";
import * as links from "./links.ts";

test("names become parts of an address, whatever is in them", () => {
  expect(links.volume({ namespace: "home", name: "a/b?c#d" }).to).toBe("/volumes/home/a%2Fb%3Fc%23d");
  expect(links.claim("home/documents").to).toBe("/volumes/home/documents");
  expect(links.repository({ kind: "ClusterRepository", name: "nas" }).to).toBe(
    "/repositories/ClusterRepository/-/nas",
  );
  expect(links.object("backups.kopiur.home-operations.com", { namespace: "home", name: "monday" }).to).toBe(
    "/objects/backups.kopiur.home-operations.com/home/monday",
  );
});

test("a snapshot's files are named as the command line names them", () => {
  expect(links.files({ namespace: "home", backup: "monday", pvc: "documents" }, { path: "a" })).toEqual({
    to: "/files",
    search: { namespace: "home", backup: "monday", pvc: "documents", path: "a" },
  });
});
