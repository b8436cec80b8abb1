import { describe, expect, test } from "vitest";
import { EngineError } from "./engine_error.ts";
import { ERROR_CLASSES } from "./error_classes.ts";

describe("EngineError", () => {
  test("takes retry and remedy from its class", () => {
    const error = new EngineError("Unreachable", "listing snapshots: the storage does not answer");
    expect(error.retry).toBe("transient");
    expect(error.remedy).toBe(ERROR_CLASSES.Unreachable.remedy);
  });

  test("crosses as JSON with class, message, remedy and a bounded detail, and without its cause", () => {
    const error = new EngineError("Locked", "m", {
      remedy: "r",
      detail: "x".repeat(5000),
      cause: new Error("c"),
    });
    const failure: unknown = JSON.parse(JSON.stringify(error));
    expect(failure).toEqual({ class: "Locked", message: "m", remedy: "r", detail: "x".repeat(1024) });
  });

  test("every class says what to do in whole sentences", () => {
    for (const [name, { remedy }] of Object.entries(ERROR_CLASSES)) {
      expect(remedy, name).toMatch(/^[A-Z].*\.$/);
    }
  });
});
