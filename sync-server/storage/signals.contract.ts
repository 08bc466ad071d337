import { describe, expect, test } from 'vitest'
import type { Signals } from './create-signals.ts'

const shortly = { timeoutMs: 30 }
const long = { timeoutMs: 20_000 }

/** What every kind of signals must do. @param open gives signals of their own */
export function describeSignals(kind: string, open: () => Signals | Promise<Signals>) {
  describe(`signals ${kind}`, () => {
    test('let who has seen all wait until there is news', async () => {
      const signals = await open()
      signals.observe('notes', signals.lastSeq('notes'), 7)
      expect(signals.lastSeq('notes')).toBe(7)
      const waiting = signals.wait('notes', 7, long)
      expect(signals.countWaiting()).toBe(1)
      signals.notify('notes', 8)
      expect(await waiting).toBe(true)
      expect(signals.lastSeq('notes')).not.toBe(7)
      expect(signals.countWaiting()).toBe(0)
    })

    test('let nobody wait who has not seen all', async () => {
      const signals = await open()
      signals.notify('notes', 8)
      expect(await signals.wait('notes', 7, long)).toBe(true)
    })

    test('are not talked into an older state by a look that began before the news', async () => {
      const signals = await open()
      const before = signals.lastSeq('notes')
      signals.notify('notes', 8)
      signals.observe('notes', before, 7)
      expect(await signals.wait('notes', 7, long)).toBe(true)
    })

    test('end a wait when its time is over, its client has gone, or they are closed', async () => {
      const signals = await open()
      signals.observe('notes', signals.lastSeq('notes'), 7)
      expect(await signals.wait('notes', 7, shortly)).toBe(false)
      const gone = new AbortController()
      const left = signals.wait('notes', 7, { ...long, signal: gone.signal })
      gone.abort()
      expect(await left).toBe(false)
      const closed = signals.wait('notes', 7, long)
      signals.close()
      expect(await closed).toBe(false)
      expect(await signals.wait('notes', 7, long)).toBe(false)
    })

    test('wake the waiting of one database only, and tell listeners of all', async () => {
      const signals = await open()
      const heard: string[] = []
      const stop = signals.subscribe((name) => heard.push(name))
      for (const name of ['notes', 'others']) signals.observe(name, signals.lastSeq(name), 7)
      const other = signals.wait('others', 7, shortly)
      signals.notify('notes', 8)
      expect(await other).toBe(false)
      stop()
      signals.notify('others', 8)
      expect(heard).toEqual(['notes'])
    })

    test('hand what was written to those who listen in this process', async () => {
      const signals = await open()
      const heard: unknown[] = []
      signals.subscribe((_name, _seq, news) => heard.push(news))
      const news = { from: 7, docs: [{ _id: 'n', _rev: '1-a' }] }
      signals.notify('notes', 8, news)
      signals.notify('notes', 9)
      expect(heard).toEqual([news, undefined])
    })
  })
}
