const idleWaitMaxMs = 1_000

/** Resolves when the page is idle, or after a moment on a page that never is. */
export function yieldToScreen(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback !== 'function') setTimeout(resolve)
    else requestIdleCallback(() => resolve(), { timeout: idleWaitMaxMs })
  })
}
