import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { v7 as createId } from 'uuid'
import { must } from '../../../../schema/helpers/assertions.ts'
import { createDeferred } from '../../../../schema/helpers/deferred.ts'
import { openLoadDevice } from './load-device.ts'
import type { LoadDevice } from './load-device-types.ts'
import type { LoadNews, LoadOrder, LoadWord } from './load-orders.ts'

/**
 * Makes the load in its own process, so that its cost is not counted as the server's. A message
 * takes until the other person's device has it, and its author knows of the acceptance.
 */
const content = 'as many words as people write in one message of a chat'
/** A message that arrives later counts as lost. */
const patienceMs = 60_000

async function run(order: LoadOrder) {
  const { origin, way, shape, people, warmUpMs, forMs } = order
  const counts = { requests: 0, frames: 0 }
  const waiting = new Map<string, () => void>()
  const failed = createDeferred<never>()
  failed.promise.catch(() => undefined)
  const devices: LoadDevice[] = []
  for (const account of people) {
    const onArrived = (id: string) => waiting.get(id)?.()
    const options = { origin, account, counts, onArrived, onError: failed.reject }
    devices.push(await openLoadDevice(way, options))
  }
  const window = { isOpen: false, isOver: false }
  const tookMs: number[] = []

  async function sendOne(author: number, begunAt: number) {
    const recipient = must(people[author % 2 === 0 ? author + 1 : author - 1], 'a recipient')
    const id = createId()
    const arrived = createDeferred()
    waiting.set(id, arrived.resolve)
    const message = { id, recipientId: recipient.userId, content }
    await Promise.all([must(devices[author], 'a device').send(message), arrived.promise])
    waiting.delete(id)
    if (window.isOpen) tookMs.push(performance.now() - begunAt)
  }

  /** Keeps the given number in flight: each arrival starts the next. */
  async function keepUp(author: number) {
    while (!window.isOver) await sendOne(author, performance.now())
  }

  /** On schedule, whether or not earlier ones have arrived: lateness delays all later ones. */
  async function keepTime(pairs: number, perSecond: number) {
    const begunAt = performance.now()
    const under = new Set<Promise<void>>()
    for (let index = 0; !window.isOver; index++) {
      const dueAt = begunAt + (index * 1000) / perSecond
      const leftMs = dueAt - performance.now()
      if (leftMs > 0) await pause(leftMs)
      const turn = Math.floor(index / pairs)
      const one = sendOne(2 * (index % pairs) + (turn % 2), Math.min(dueAt, performance.now()))
      under.add(one)
      one.then(() => under.delete(one), failed.reject)
    }
    await Promise.all(under)
  }

  const { pairs, rhythm } = shape
  const working =
    'inFlight' in rhythm
      ? Array.from({ length: pairs * rhythm.inFlight }, (_, index) =>
          keepUp(2 * (index % pairs) + (Math.floor(index / pairs) % 2)),
        )
      : [keepTime(pairs, rhythm.perSecond)]
  const work = Promise.race([Promise.all(working), failed.promise])
  work.catch(() => undefined)
  await Promise.race([pause(warmUpMs), failed.promise])
  await say({ kind: 'warm' }, 'measure')
  Object.assign(counts, { requests: 0, frames: 0 })
  window.isOpen = true
  const startedAt = performance.now()
  await Promise.race([pause(forMs), failed.promise])
  await say({ kind: 'due' }, 'end')
  Object.assign(window, { isOpen: false, isOver: true })
  const measured = { ...counts, forMs: performance.now() - startedAt }
  const lost = pause(patienceMs, undefined, { ref: false }).then(() => {
    throw new Error(`${waiting.size} messages have not arrived`)
  })
  await Promise.race([work, lost])
  for (const device of devices) device.close()
  tell({ kind: 'over', tookMs, ...measured })
}

/** Sends a report, and waits for the next order. */
async function say(news: LoadNews, word: LoadWord['kind']) {
  tell(news)
  const [heard] = (await once(process, 'message')) as [LoadWord]
  if (heard.kind !== word) throw new Error(`It heard ${heard.kind} in place of ${word}.`)
}

function tell(news: LoadNews) {
  process.send?.(news)
}

process.once('message', (order: LoadOrder) => {
  run(order).catch((error: unknown) => tell({ kind: 'failed', why: String(error) }))
})
