const pauseMs = 20

/** Asks again and again until the answer is true. Rejects with `what` after `withinMs`. */
export async function waitUntil(
  what: string,
  isTrue: () => Promise<boolean> | boolean,
  withinMs = 20_000,
): Promise<void> {
  const end = Date.now() + withinMs
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`Waited ${withinMs} ms in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
