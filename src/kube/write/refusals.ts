import { ApiError, isForbidden, isInvalid } from "../api_error.ts";

/** Writes that the API server said no to, while the others go on. What goes wrong in another way ends the round at once. */
export class Refusals {
  first: ApiError | undefined;

  /** Writes one after the other, and returns those whose writes were refused. */
  async each<T>(objects: readonly T[], write: (object: T) => Promise<unknown>): Promise<readonly T[]> {
    const refused: T[] = [];
    for (const object of objects) {
      try {
        await write(object);
      } catch (error) {
        if (!(error instanceof ApiError) || !(isForbidden(error) || isInvalid(error))) throw error;
        this.first ??= error;
        refused.push(object);
      }
    }
    return refused;
  }
}
