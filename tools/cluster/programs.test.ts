import { describe, expect, test } from "vitest";
import { pinnedProgram } from "./programs.ts";

describe("pinnedProgram()", () => {
  test("takes the launcher's word first", () => {
    const env = { HOLDFAST_PROGRAMS: JSON.stringify({ etcd: process.execPath }), HOLDFAST_CACHE: "/nowhere" };
    expect(pinnedProgram("etcd", env)).toBe(process.execPath);
  });

  test("looks into the cache under the pinned version, and says where it looked", () => {
    expect(() => pinnedProgram("etcd", { HOLDFAST_CACHE: "/nowhere" })).toThrow(
      /etcd is not at \/nowhere\/programs\/etcd\/[\d.]+\/etcd: run this by its npm command/,
    );
  });

  test("refuses a program that is not pinned", () => {
    expect(() => pinnedProgram("minikube", {})).toThrow("not among the pinned programs");
  });
});
