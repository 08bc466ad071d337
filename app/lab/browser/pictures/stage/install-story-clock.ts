/**
 * Puts a clock before this process's own, or as an init script before a page's. Timers are not touched.
 * It stands alone: a page gets its text only.
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
