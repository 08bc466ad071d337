/**
 * Overrides the clock of this process, or as an init script a page's. Leaves timers alone.
 * Self-contained: a page gets only its source text.
 */
export function installStoryClock(aheadMs: number): { set(aheadMs: number): void } {
  const RealDate = Date
  const clock = { aheadMs }
  const now = () => RealDate.now() + clock.aheadMs
  globalThis.Date = new Proxy(RealDate, {
    construct: (_target, given, newTarget) =>
      Reflect.construct(RealDate, given.length === 0 ? [now()] : given, newTarget),
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  })
  return {
    set(aheadMs) {
      clock.aheadMs = aheadMs
    },
  }
}
