import { createWriteStream } from 'node:fs'
import { Writable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { createLogDestination } from './log.ts'

const describeLost = (count: number) => `${count} lost\n`

/** A stream that accepts data only when told to, or fails. */
function createTap() {
  const state = { text: '', isBroken: false, isShut: false, waiting: [] as (() => void)[] }
  const openStream = () =>
    new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        const take = () => {
          if (state.isBroken) return done(new Error('No space left on device.'))
          state.text += chunk
          done()
        }
        if (state.isShut) state.waiting.push(take)
        else take()
      },
    })
  return {
    open: openStream,
    read: () => state.text,
    shut() {
      state.isShut = true
    },
    break(isBroken: boolean) {
      state.isBroken = isBroken
    },
    reopen() {
      state.isShut = false
      for (const take of state.waiting.splice(0)) take()
    },
  }
}

describe('P12: a log', () => {
  it('is written in its order', async () => {
    const tap = createTap()
    const lines = createLogDestination({ open: tap.open, describeLost })
    for (let index = 0; index < 1_000; index += 1) lines.write(`line ${index}\n`)
    await lines.drain({ withinMs: 10_000 })
    const written = Array.from({ length: 1_000 }, (_, index) => `line ${index}\n`)
    expect(tap.read()).toBe(written.join(''))
    expect(lines.countLost()).toBe(0)
  })

  it('that nobody reads is kept up to a bound, and tells once how many lines were lost', async () => {
    const tap = createTap()
    tap.shut()
    const lines = createLogDestination({ open: tap.open, describeLost })
    const line = `${'x'.repeat(1_023)}\n`
    for (let count = 0; count < 1_500; count += 1) lines.write(line)
    expect(lines.countLost()).toBe(1_500 - 1_024)
    tap.reopen()
    await lines.drain({ withinMs: 10_000 })
    lines.write('later\n')
    await lines.drain({ withinMs: 10_000 })
    const kept = tap.read().split('\n')
    expect(kept.filter((one) => one === line.trim())).toHaveLength(1_024)
    expect(kept.filter((one) => one.includes('lost'))).toEqual(['476 lost'])
    expect(kept).toContain('later')
  })

  it('that cannot be written is tried again, and nothing of it is lost below the bound', async () => {
    const tap = createTap()
    tap.break(true)
    const lines = createLogDestination({ open: tap.open, describeLost })
    for (let index = 0; index < 10; index += 1) lines.write(`line ${index}\n`)
    await new Promise((resolve) => setImmediate(resolve))
    expect(tap.read()).toBe('')
    tap.break(false)
    await lines.drain({ withinMs: 20_000 })
    const written = tap.read().split('\n').filter(Boolean)
    expect(written).toEqual(Array.from({ length: 10 }, (_, index) => `line ${index}`))
  })

  it('on a disk that is full ends nothing', async () => {
    const full = createWriteStream('/dev/full', { autoClose: false })
    const failed = vi.fn()
    full.on('error', failed)
    const lines = createLogDestination({ open: () => full, describeLost })
    for (let count = 0; count < 3_000; count += 1) lines.write(`${'x'.repeat(500)}\n`)
    await expect.poll(() => failed.mock.calls.length).toBeGreaterThan(0)
    expect(lines.countLost()).toBeGreaterThan(0)
    lines.write('one more\n')
  })
})
