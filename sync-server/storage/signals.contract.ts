import { describe, expect, test } from 'vitest'
import type { Seq } from './documents/documents.ts'
import type { Signals } from './documents/signals.ts'

const shortly = { timeoutMs: 30 }
const long = { timeoutMs: 20_000 }

/** Records a reader who read to the end and found something new. */
export function look(signals: Signals, name: string, seq: Seq) {
  signals.observe(name, { before: signals.lastSeq(name), seq, isSame: false })
}

/** The contract of all signals. @param open gives new signals */
export function describeSignals(kind: string, open: () => Signals | Promise<Signals>) {
  describe(`signals ${kind}`, () => {
    test('let who has seen all wait until there is news', async () => {
      const signals = await open()
      look(signals, 'notes', 7)
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

    test('know one place in several spellings, so that readers who spell it in their own way all wait', async () => {
      const signals = await open()
      look(signals, 'notes', '7-one')
      for (const seq of ['7-two', '7-three']) {
        expect(await signals.wait('notes', seq, long)).toBe(true)
        const before = signals.lastSeq('notes')
        signals.observe('notes', { before, seq, isSame: true })
      }
      const spellings = ['7-one', '7-two', '7-three']
      expect(spellings.map((seq) => signals.isAt('notes', seq))).toEqual([true, true, true])
      const waiting = Promise.all(spellings.map((seq) => signals.wait('notes', seq, long)))
      expect(signals.countWaiting()).toBe(3)
      signals.notify('notes', '8-one')
      expect(await waiting).toEqual([true, true, true])
      expect(spellings.map((seq) => signals.isAt('notes', seq))).toEqual([false, false, false])
    })

    test('know what was found new as the only place: who stands elsewhere has to look', async () => {
      const signals = await open()
      look(signals, 'notes', '7-one')
      look(signals, 'notes', '8-one')
      expect(signals.isAt('notes', '7-one')).toBe(false)
      expect(await signals.wait('notes', '7-one', long)).toBe(true)
    })

    test('are not talked into an older state by a look that began before the news', async () => {
      const signals = await open()
      const before = signals.lastSeq('notes')
      signals.notify('notes', 8)
      signals.observe('notes', { before, seq: 7, isSame: false })
      expect(await signals.wait('notes', 7, long)).toBe(true)
    })

    test('end a wait when its time is over, its client has gone, or they are closed', async () => {
      const signals = await open()
      look(signals, 'notes', 7)
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
      for (const name of ['notes', 'others']) look(signals, name, 7)
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
