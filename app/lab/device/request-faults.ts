import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { createSlowLine, type SlowLineOptions } from './slow-line.ts'

/** Faults of requests between a device and the server, and their controls. */
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
    uploads: undefined as number | undefined,
    breakEvery: 0,
    hasNoPieces: false,
  }
  let faults = structuredClone(calm)
  /** Delayed ones: answers to writes and to polls, and catch-ups before they are sent. */
  const held: { responses?: Promise<void>; polls?: Promise<void>; pulls?: Promise<void> } = {}
  /** Writes to a collection that have left the device but not reached the server. */
  const waiting = new Map<string, { until: Promise<void>; count: number }>()
  const requests: string[] = []
  const pulledAfter: { pathname: string; since: string }[] = []
  const filed: FileTraffic = { requests: 0, brokenRequests: 0, takenBytes: 0 }
  let pulls = 0
  let polls = 0
  let line: ReturnType<typeof createSlowLine> | undefined

  function hold(what: keyof typeof held): () => void {
    const { promise, resolve } = createDeferred()
    held[what] = promise
    return () => {
      // Later ones may be held by now.
      if (held[what] === promise) delete held[what]
      resolve()
    }
  }
  /** The write that will arrive again, after the next one. */
  let late: (() => Promise<unknown>) | undefined

  /**
   * @param way.cut aborts when the network is gone
   * @param way.transport how it reaches the server, unless by a request
   */
  async function send(
    url: string,
    init: RequestInit = {},
    { cut, transport = fetch }: { cut: AbortSignal; transport?: typeof fetch },
  ): Promise<Response> {
    const signal = init.signal ? AbortSignal.any([init.signal, cut]) : cut
    const isWrite = isWriting(url, init)
    const { pathname, searchParams } = new URL(url)
    requests.push(`${init.method ?? 'GET'} ${pathname}`)
    if (pathname.endsWith('/_changes')) {
      pulledAfter.push({ pathname, since: searchParams.get('since') ?? '0' })
    }
    if (faults.answered.left > 0) {
      faults.answered.left -= 1
      return Response.json(
        { error: 'The lab answers in place of the server.', code: 'lab' },
        { status: faults.answered.status },
      )
    }
    if (faults.hasNoPieces && url.includes('/messages/uploads/')) {
      const words = { error: 'There is nothing at this address.', code: 'not_found' }
      return Response.json(words, { status: 404 })
    }
    // As in a hotel: every address returns the page that asks for the room number.
    if (faults.isPortal) return new Response('<html>Your room?', { status: 200 })
    const { refused } = faults
    if (refused && url.includes('_bulk_docs') && String(init.body).includes(refused.words)) {
      return new Response('<html>Blocked', { status: refused.status })
    }
    if (faults.uploads && url.includes('/messages/upload')) {
      return new Response('<html>Bad gateway', { status: faults.uploads })
    }
    await pass(signal)
    // The connection seems alive but delivers nothing: this does not wait for the server's answer.
    if (faults.arePollsHanging && url.includes('longpoll')) return await untilAborted(signal)
    if (url.includes('feed=normal')) await held.pulls
    if (isWrite) await waitOutHold(url)
    await line?.upload(init.body, signal)
    const part = isWrite && init.body instanceof Blob ? init.body : undefined
    if (part && !isSentWhole()) {
      await sendHalf(url, { ...init, body: part, signal })
      throw new TypeError('fetch failed: the line broke')
    }
    const ask = async () => {
      const response = await transport(url, { ...init, signal })
      if (part && response.ok) filed.takenBytes += part.size
      return line?.download(response) ?? response
    }
    if (isWrite && faults.lost > 0) {
      faults.lost -= 1
      await drain(ask())
      throw new TypeError('fetch failed: the answer was lost')
    }
    const again = () => drain(transport(url, { ...init, signal: null }))
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

  function isSentWhole(): boolean {
    filed.requests += 1
    if (faults.breakEvery === 0 || filed.requests % faults.breakEvery !== 0) return true
    filed.brokenRequests += 1
    return false
  }

  async function waitOutHold(url: string) {
    const [, collection = ''] = /\/sync\/(\w+)\//.exec(url) ?? []
    const hold = waiting.get(collection)
    if (!hold) return
    hold.count += 1
    await hold.until
  }

  /** A poll's head comes long before its content: this answers when all of it is here. */
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
    listPulledAfter: (collection: string) =>
      pulledAfter.flatMap(({ pathname, since }) =>
        pathname.includes(`/${collection}/`) ? since : [],
      ),
    countPulls: () => pulls,
    countPolls: () => polls,
    countFiled: () => ({ ...filed }),
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
      breakEveryUpload(nth: number) {
        faults.breakEvery = nth
      },
      haveNoPieces() {
        faults.hasNoPieces = true
      },
      answerAsPortal() {
        faults.isPortal = true
      },
      refuseWords(words: string, status: number) {
        faults.refused = { words, status }
      },
      answerUploads(status: number) {
        faults.uploads = status
      },
      calm() {
        faults = structuredClone(calm)
        late = undefined
        line = undefined
      },
    },
  }
}

/** Requests with file pieces, the broken ones, and the bytes of the successful ones. */
export interface FileTraffic {
  requests: number
  brokenRequests: number
  takenBytes: number
}

/** The line breaks after half of the body; the device never hears the server's reaction. */
async function sendHalf(url: string, init: RequestInit & { body: Blob }): Promise<void> {
  const half = init.body.slice(0, Math.floor(init.body.size / 2))
  const bytes = new Uint8Array(await half.arrayBuffer())
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (controller.desiredSize === null) return
      controller.enqueue(bytes)
      controller.error(new Error('The line broke.'))
    },
  })
  const asked: RequestInit & { duplex: 'half' } = { ...init, body, duplex: 'half' }
  await fetch(url, asked).catch(() => {})
}

/** A firewall's rule: a push containing these words never reaches the server. */
interface RefusedWords {
  words: string
  status: number
}

/** Requests that change server data, by replication or a call; not signing in and out. */
function isWriting(url: string, { method = 'GET' }: RequestInit): boolean {
  if (url.includes('_bulk_docs')) return true
  return method !== 'GET' && url.includes('/api/') && !url.includes('/api/auth/')
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
}

/** Lets the server finish: reads its answer to the end and discards it. */
async function drain(answer: Promise<Response>): Promise<void> {
  await (await answer).arrayBuffer()
}
