import { expect, test } from "vitest";
import { ApiError } from "../api_error.ts";
import { ConfigMaps } from "../builtin.ts";
import { createMissing } from "./create_missing.ts";

test("one that is there already is no error, and a refusal is", async () => {
  const refusing = (code: number, reason: string) => ({
    create: () =>
      Promise.reject(new ApiError({ request: "POST", code, status: { reason, message: reason } })),
  });
  const create = (code: number, reason: string) =>
    createMissing(refusing(code, reason), ConfigMaps, { metadata: { name: "x" } }, {});
  await create(409, "AlreadyExists");
  await expect(create(403, "Forbidden")).rejects.toThrow("Forbidden");
});
