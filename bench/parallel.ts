/** Calls for 0 to count - 1, so many at a time. */
export async function each(
  count: number,
  call: (i: number) => Promise<unknown>,
  workers = 16,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < count; i = next++) await call(i);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
