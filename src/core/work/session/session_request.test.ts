import { describe, expect, test } from "vitest";
import { attemptOf } from "../run_request.ts";
import { sessionTask } from "./session_request.ts";
import { sampleSession } from "./testing/sample_session.ts";

const choices = { mark: "ab12", port: 20_001, idleSeconds: 60 };
const request = sampleSession("a");

describe("sessionTask()", () => {
  test("opens the repository read-only, and mounts it so", () => {
    const { work, repositoryVolume } = sessionTask(request, choices);
    expect(work.repository).toEqual({ ...request.repository, readOnly: true });
    expect(repositoryVolume).toEqual({ claim: "backups", readOnly: true });
    expect(work.work).toEqual({
      session: { listen: { tls: { port: 20_001, folder: "/holdfast/session" } }, idleSeconds: 60 },
    });
  });

  test("gives no two sessions of a repository one name", () => {
    const id = (mark: string) => attemptOf(sessionTask(request, { ...choices, mark }), 1).id;
    expect(id("ab12")).toMatch(/^a-session-ab12-[0-9a-z]{12}-1$/);
    expect(id("ab13")).not.toBe(id("ab12"));
  });

  test.each([
    ["none", undefined, { limits: { memory: "1Gi" }, requests: { memory: "128Mi" } }],
    [
      "others",
      { limits: { cpu: "1" }, requests: { memory: "64Mi" } },
      { limits: { cpu: "1", memory: "1Gi" }, requests: { memory: "64Mi" } },
    ],
    ["its own", { limits: { memory: "2Gi" } }, { limits: { memory: "2Gi" } }],
  ])("bounds the memory of a mover with %s", (_, resources, wanted) => {
    const mover = { image: "mover:1", ...(resources ? { resources } : {}) };
    expect(sessionTask({ ...request, mover }, choices).mover.resources).toEqual(wanted);
  });
});
