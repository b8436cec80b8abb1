import { describe, expect, test } from "vitest";
import { identityKey } from "../../../core/catalog/truth/known_backups.ts";
import { defaultIdentity, parseIdentity, recordedIdentity } from "./backup_identity.ts";

describe("a backup identity", () => {
  test("is what VolSync records of the PVC, so that its backups are found", () => {
    const identity = defaultIdentity("media", "library");
    expect(recordedIdentity(identity)).toEqual({ username: "library", hostname: "media", path: "/data" });
    expect(identityKey(identity)).toBe("media/library");
  });

  test("of another PVC can be taken over, in any namespace", () => {
    const moved = parseIdentity("media/library");
    expect(moved && identityKey(moved)).toBe(identityKey(defaultIdentity("media", "library")));
  });

  test.each(["", "/", "a/", "/a", "a/b/c", "A", "a b", "-a", "a_b", "a@b", `${"a".repeat(254)}`])(
    "is not %j",
    (text) => {
      expect(parseIdentity(text)).toBeUndefined();
    },
  );
});
