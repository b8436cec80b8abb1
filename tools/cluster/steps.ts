/** Runs one step of something longer, and says afterwards what it was and how long it took. */
export type Step = <T>(what: string, action: () => Promise<T>) => Promise<T>;

/** Steps that report to `report`, one line each. */
export function steps(report: (line: string) => void): Step {
  return async (what, action) => {
    const begin = performance.now();
    const seconds = () => `${((performance.now() - begin) / 1000).toFixed(1).padStart(5)} s`;
    try {
      const result = await action();
      report(`${seconds()}  ${what}`);
      return result;
    } catch (error) {
      report(`${seconds()}  ${what}: failed`);
      throw error;
    }
  };
}
