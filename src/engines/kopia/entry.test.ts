import { expect, test } from "vitest";
import { parseFolder } from "./entry.ts";

test("parseFolder reads what kopia prints of a folder, sorted by name", () => {
  const text = `{"stream":"kopia:directory","entries":[
    {"name":"sub","type":"d","mode":"0755","mtime":"2026-01-02T03:04:05Z","uid":7,"gid":8,"obj":"k1","summ":{"size":42}},
    {"name":"a","type":"f","mode":"04640","size":12,"mtime":"2026-01-02T03:04:05.000000001Z","obj":"x"},
    {"name":"odd","type":"?","mode":"0"}]}`;
  expect(parseFolder(text)).toEqual([
    {
      name: "a",
      type: "File",
      size: 12,
      mode: 0o4640,
      modifiedAt: "2026-01-02T03:04:05.000000001Z",
      owner: { uid: 0, gid: 0 },
    },
    { name: "odd", type: "Other", size: 0, mode: 0, modifiedAt: "", owner: { uid: 0, gid: 0 } },
    {
      name: "sub",
      type: "Folder",
      size: 42,
      mode: 0o755,
      modifiedAt: "2026-01-02T03:04:05Z",
      owner: { uid: 7, gid: 8 },
    },
  ]);
});

test("parseFolder is undefined for the content of a file", () => {
  expect(parseFolder('{"name":"a file that looks like one"}')).toBeUndefined();
});
