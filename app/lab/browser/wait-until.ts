const pauseMs = 20

/** Repeats the question until the answer is true. Rejects with `what` after `withinMs`. */
export async function waitUntil(
  what: string,
  isTrue: () => Promise<boolean> | boolean,
  withinMs = 20_000,
): Promise<void> {
  const end = Date.now() + withinMs
  // Checks once more after the deadline, which may pass between two checks.
  for (let isLast = false; !(await isTrue()); ) {
    if (isLast) throw new Error(`Waited ${withinMs} ms in vain: ${what}`)
    isLast = Date.now() > end
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
