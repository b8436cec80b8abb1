import { describe, expect, test } from "vitest";
import { questionOf } from "./question.ts";

function ask(target: string) {
  const [path = "", query = ""] = target.split("?");
  return questionOf(path, new URLSearchParams(query));
}

describe("questionOf()", () => {
  test.each([
    ["/v1/repository", { repository: {} }],
    ["/v1/snapshots", { snapshots: { limit: 1000, filter: {} } }],
    [
      "/v1/snapshots?username=u&hostname=h&path=/p&run=r&tag=a:b:c&tag=d:&limit=5&after=1.x",
      {
        snapshots: {
          limit: 5,
          after: "1.x",
          filter: { username: "u", hostname: "h", path: "/p", run: "r", tags: { a: "b:c", d: "" } },
        },
      },
    ],
    ["/v1/snapshots/abc/entries", { entries: { snapshot: "abc", path: "", limit: 1000 } }],
    ["/v1/snapshots/abc/entry?path=a%2Fb", { entry: { snapshot: "abc", path: "a/b" } }],
    ["/v1/snapshots/abc/file?path=a", { file: { snapshot: "abc", path: "a" } }],
    [
      "/v1/snapshots/abc/search?name=*.c",
      { search: { snapshot: "abc", path: "", name: "*.c", limit: 1000 } },
    ],
    ["/v1/nothing", undefined],
    ["/v1/snapshots/abc", undefined],
    ["/v1/snapshots/abc/delete", undefined],
  ])("reads %s", (target, question) => {
    expect(ask(target)).toEqual(question);
  });

  test.each([
    ["/v1/repository?x=1", "there is no parameter x here"],
    ["/v1/snapshots?limit=0", "limit must be a whole number from 1 to 1000"],
    ["/v1/snapshots?limit=1001", "limit must be a whole number from 1 to 1000"],
    ["/v1/snapshots?limit=ten", "limit must be a whole number from 1 to 1000"],
    ["/v1/snapshots?run=a&run=b", "run is given twice"],
    ["/v1/snapshots?tag=a", "tag must be a key, a colon and a value"],
    ["/v1/snapshots/--all/entries", "a snapshot's ID has letters and digits only"],
    ["/v1/snapshots/a%2Fb/entries", "a snapshot's ID has letters and digits only"],
    ["/v1/snapshots/a/entries?path=/etc", /relative to the snapshot's root/],
    ["/v1/snapshots/a/entries?path=a/../b", /relative to the snapshot's root/],
    ["/v1/snapshots/a/entries?path=a//b", /relative to the snapshot's root/],
    ["/v1/snapshots/a/entries?path=a%00b", "path has a zero byte in it"],
    [`/v1/snapshots/a/entries?path=${"x".repeat(4097)}`, "path is longer than 4096 characters"],
    ["/v1/snapshots/a/search", /name must be a pattern/],
    ["/v1/snapshots/a/search?name=a/b", /name must be a pattern/],
    [`/v1/snapshots/a/search?name=${"x".repeat(257)}`, "name is longer than 256 characters"],
  ])("refuses %s", (target, why) => {
    expect(() => ask(target)).toThrow(why);
  });
});
