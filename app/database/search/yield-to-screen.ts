const idleWaitMaxMs = 1_000

/** Resolves when the page has nothing better to do, or after a moment on a page that always has. */
export function yieldToScreen(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback !== 'function') setTimeout(resolve)
    else requestIdleCallback(() => resolve(), { timeout: idleWaitMaxMs })
  })
}
