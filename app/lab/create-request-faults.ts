import { createDeferred } from '../../schema/create-deferred.ts'
import { createSlowLine, type SlowLineOptions } from './create-slow-line.ts'

/** What can go wrong with a request between a device and the server, and the controls for it. */
export function createRequestFaults(options: { random: () => number }) {
  const { random } = options
  const calm = {
    lost: 0,
    delayMs: 0,
    isDuplicating: false,
    isReordering: false,
    arePollsHanging: false,
    answered: { status: 503, left: 0 },
    isPortal: false,
    refused: undefined as RefusedWords | undefined,
  }
  let faults = structuredClone(calm)
  /** What waits: the answers to writes and to polls, and the catch-ups before they are asked. */
  const held: { responses?: Promise<void>; polls?: Promise<void>; pulls?: Promise<void> } = {}
  /** Writes to a collection that have left the device and are not at the server. */
  const waiting = new Map<string, { until: Promise<void>; count: number }>()
  const requests: string[] = []
  let pulls = 0
  let polls = 0
  let line: ReturnType<typeof createSlowLine> | undefined

  function hold(what: keyof typeof held): () => void {
    const { promise, resolve } = createDeferred()
    held[what] = promise
    return () => {
      delete held[what]
      resolve()
    }
  }
  /** The write that will arrive a second time, after the next one. */
  let late: (() => Promise<unknown>) | undefined

  async function send(url: string, init: RequestInit = {}, cut: AbortSignal): Promise<Response> {
    const signal = init.signal ? AbortSignal.any([init.signal, cut]) : cut
    const isWrite = isWriting(url, init)
    requests.push(`${init.method ?? 'GET'} ${new URL(url).pathname}`)
    if (faults.answered.left > 0) {
      faults.answered.left -= 1
      return Response.json(
        { error: 'The lab answers in place of the server.', code: 'lab' },
        { status: faults.answered.status },
      )
    }
    // As in a hotel: every address gives the page that asks for the room's number.
    if (faults.isPortal) return new Response('<html>Your room?', { status: 200 })
    const { refused } = faults
    if (refused && url.includes('_bulk_docs') && String(init.body).includes(refused.words)) {
      return new Response('<html>Blocked', { status: refused.status })
    }
    await pass(signal)
    // The connection seems to stand, and nothing comes over it: the server's answer is not waited for.
    if (faults.arePollsHanging && url.includes('longpoll')) return await untilAborted(signal)
    if (url.includes('feed=normal')) await held.pulls
    if (isWrite) await waitOutHold(url)
    await line?.upload(init.body, signal)
    const ask = async () => {
      const response = await fetch(url, { ...init, signal })
      return line?.download(response) ?? response
    }
    if (isWrite && faults.lost > 0) {
      faults.lost -= 1
      await drain(ask())
      throw new TypeError('fetch failed: the answer was lost')
    }
    const again = () => drain(fetch(url, { ...init, signal: null }))
    if (isWrite && faults.isDuplicating) await Promise.allSettled([again()])
    const response = await ask()
    if (url.includes('feed=normal')) pulls += 1
    if (url.includes('feed=longpoll') && !line) return await finishPoll(url, response)
    if (isWrite) {
      await held.responses
      await late?.().catch(() => {})
      late = faults.isReordering ? again : undefined
    }
    await pass(signal)
    return response
  }

  async function waitOutHold(url: string) {
    const [, collection = ''] = /\/sync\/(\w+)\//.exec(url) ?? []
    const hold = waiting.get(collection)
    if (!hold) return
    hold.count += 1
    await hold.until
  }

  /** A poll's head comes long before what it tells: it is answered when all of it is here. */
  async function finishPoll(url: string, response: Response): Promise<Response> {
    const { status, headers } = response
    const body = await response.text()
    if (url.includes('/messages/')) polls += 1
    await held.polls
    return new Response(body, { status, headers })
  }

  async function pass(signal: AbortSignal) {
    if (faults.delayMs === 0) return
    const ms = random() * faults.delayMs
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      const stop = () => {
        clearTimeout(timer)
        reject(signal.reason)
      }
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    })
  }

  return {
    send,
    listRequests: () => requests,
    countPulls: () => pulls,
    countPolls: () => polls,
    controls: {
      holdResponses: () => hold('responses'),
      holdPulls: () => hold('pulls'),
      holdWrites(collection: 'messages' | 'conversations') {
        const { promise, resolve } = createDeferred()
        const holding = { until: promise, count: 0 }
        waiting.set(collection, holding)
        return {
          count: () => holding.count,
          release() {
            if (waiting.get(collection) === holding) waiting.delete(collection)
            resolve()
          },
        }
      },
      holdPolls: () => hold('polls'),
      loseResponses(count: number) {
        faults.lost = count
      },
      delay(ms: number) {
        faults.delayMs = ms
      },
      duplicate() {
        faults.isDuplicating = true
      },
      reorder() {
        faults.isReordering = true
      },
      slow(options: SlowLineOptions) {
        line = createSlowLine(options)
      },
      hangPolls() {
        faults.arePollsHanging = true
      },
      answer(status: number, count = Number.MAX_SAFE_INTEGER) {
        faults.answered = { status, left: count }
      },
      answerAsPortal() {
        faults.isPortal = true
      },
      refuseWords(words: string, status: number) {
        faults.refused = { words, status }
      },
      calm() {
        faults = structuredClone(calm)
        late = undefined
        line = undefined
      },
    },
  }
}

/** A firewall's rule: a push with these words never reaches the server. */
interface RefusedWords {
  words: string
  status: number
}

/** What changes something at the server, by replication or by a call; signing in and out does not count. */
function isWriting(url: string, { method = 'GET' }: RequestInit): boolean {
  if (url.includes('_bulk_docs')) return true
  return method !== 'GET' && url.includes('/api/') && !url.includes('/api/auth/')
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
}

/** Lets the server finish: its answer is read to the end and thrown away. */
async function drain(answer: Promise<Response>): Promise<void> {
  await (await answer).arrayBuffer()
}
