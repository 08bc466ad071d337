const pauseMs = 20

/** Asks again and again until the answer is true. Rejects with `what` after `withinMs`. */
export async function waitUntil(
  what: string,
  isTrue: () => Promise<boolean> | boolean,
  withinMs = 20_000,
): Promise<void> {
  const end = Date.now() + withinMs
  // A look after the end is the last one: the time may have gone by between two of them.
  for (let isLast = false; !(await isTrue()); ) {
    if (isLast) throw new Error(`Waited ${withinMs} ms in vain: ${what}`)
    isLast = Date.now() > end
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
