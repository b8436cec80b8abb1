/** Does two things at once. When one fails, the other is aborted and waited for, and the first failure is thrown. */
export async function together<A, B>(
  signal: AbortSignal | undefined,
  first: (signal: AbortSignal) => Promise<A>,
  second: (signal: AbortSignal) => Promise<B>,
): Promise<readonly [A, B]> {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  const both = [first(controller.signal), second(controller.signal)] as const;
  try {
    return await Promise.all(both);
  } catch (error) {
    controller.abort(error);
    await Promise.allSettled(both);
    throw error;
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}
