import { EngineError } from "../../wire/engine_error.ts";

/** Rejects what restic would trim, ask for, or not take. */
export function requirePassword(password: string): void {
  if (password !== "" && password.trim() === password && !password.includes("\n")) return;
  throw new EngineError(
    "InvalidOption",
    "restic takes no password that is empty, or that begins or ends with blanks",
    {
      remedy: "Choose a password without blanks around it.",
    },
  );
}
