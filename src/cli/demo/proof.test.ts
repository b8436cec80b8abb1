import { describe, expect, test } from "vitest";
import { compareTrees, parseDescription } from "./proof.ts";

const text = `{"path":"","kind":"d","mode":493,"owner":[0,0],"time":[1,2]}
{"path":"a","kind":"f","mode":420,"owner":[1,1],"time":[3,4],"size":10,"sha256":"x"}
{"path":"b","kind":"f","mode":420,"owner":[1,1],"time":[3,4],"size":10,"sha256":"x","sameAs":"a"}
`;

describe("compareTrees", () => {
  test("finds nothing between equal trees, and counts linked content once", () => {
    const tree = parseDescription(text);
    expect(compareTrees(tree, parseDescription(text))).toEqual({
      entries: 3,
      bytes: 10,
      owners: 2,
      differences: [],
    });
  });

  test.each([
    ["missing", text.replace(/^.*"path":"b".*\n/m, ""), '"b" is missing'],
    ["added", `${text}{"path":"c","kind":"f"}\n`, '"c" was not there before'],
    ["changed content", text.replace('"sha256":"x"}', '"sha256":"y"}'), '"a": sha256 was "x" and is "y"'],
    ["changed owner", text.replace("[0,0]", "[0,5]"), "the top folder: owner was [0,0] and is [0,5]"],
    ["lost link", text.replace(',"sameAs":"a"', ""), '"b": sameAs was "a" and is nothing'],
    [
      "new attribute",
      text.replace('"sha256":"x"}', '"sha256":"x","xattrs":{"user.a":"Yg=="}}'),
      '"a": xattrs was nothing and is {"user.a":"Yg=="}',
    ],
  ])("says what is %s", (_, after, sentence) => {
    const { differences } = compareTrees(parseDescription(text), parseDescription(after));
    expect(differences).toEqual([sentence]);
  });
});
