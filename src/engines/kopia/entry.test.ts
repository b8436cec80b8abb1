import { expect, test } from "vitest";
import { all } from "../testing/ground.ts";
import { readFolder } from "./entry.ts";

const FOLDER = `{"stream":"kopia:directory","entries":[
    {"name":"sub","type":"d","mode":"0755","mtime":"2026-01-02T03:04:05Z","uid":7,"gid":8,"obj":"k1","summ":{"size":42}},
    {"name":"a","type":"f","mode":"04640","size":12,"mtime":"2026-01-02T03:04:05.000000001Z","obj":"x"},
    {"name":"odd","type":"?","mode":"0"}],"summary":{"size":54,"files":1}}`;

/** What is read of a text that comes in parts of this size. */
function read(text: string, size = 1000) {
  const parts = async function* () {
    for (let i = 0; i < text.length; i += size) yield Buffer.from(text.slice(i, i + size));
  };
  return all(readFolder(parts(), () => new Error("not a folder")));
}

test.each([1, 20, 1000])(
  "readFolder() reads what kopia prints of a folder, %i bytes at once",
  async (size) => {
    expect(await read(FOLDER, size)).toEqual([
      {
        name: "sub",
        type: "Folder",
        size: 42,
        content: "k1",
        mode: 0o755,
        modifiedAt: "2026-01-02T03:04:05Z",
        owner: { uid: 7, gid: 8 },
      },
      {
        name: "a",
        type: "File",
        size: 12,
        mode: 0o4640,
        modifiedAt: "2026-01-02T03:04:05.000000001Z",
        owner: { uid: 0, gid: 0 },
      },
      { name: "odd", type: "Other", size: 0, mode: 0, modifiedAt: "", owner: { uid: 0, gid: 0 } },
    ]);
  },
);

test.each(['{"name":"a file that looks like one"}', "short", ""])(
  "readFolder() takes no file for one: %j",
  async (text) => {
    await expect(read(text)).rejects.toThrow("not a folder");
  },
);
