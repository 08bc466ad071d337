import { createSlowLine, type SlowLineOptions } from './slow-line.ts'

/** A request on its way, as a matcher sees it. */
export interface Asked {
  method: string
  url: string
  /** Its path, without the query. */
  path: string
  /** Undefined unless it is text. */
  text: string | undefined
  body: unknown
}

export type Matcher = (asked: Asked) => boolean

/** What happens to a request that matches. */
type Happening =
  /** Something else answers; it never reaches the server. */
  | { do: 'answer'; status: number; body?: string | object }
  /** It leaves and never arrives; the device hears that its network failed. */
  | { do: 'lose-request' }
  /** The server acts, and the answer never arrives. */
  | { do: 'lose-response' }
  /** The line breaks after half of the body. */
  | { do: 'cut-request' }
  /** The line breaks after half of the answer's body. */
  | { do: 'cut-response' }
  /** Nothing comes, and no error either. */
  | { do: 'hang' }
  /** Waits on the way there, or on the way back with the whole answer. */
  | { do: 'hold'; side: 'there' | 'back'; until: Promise<void> }
  /** Waits up to so long on each way, randomly. */
  | { do: 'delay'; upToMs: number }
  /** Reaches the server twice. */
  | { do: 'duplicate' }
  /** Reaches the server once more, after the next one that matches. */
  | { do: 'reorder' }
  /** Bytes trickle, both ways. */
  | ({ do: 'slow' } & SlowLineOptions)

export type Fault = Happening & {
  /** Which requests; all, when absent. */
  when?: Matcher
  /** How many of them; all, when absent. */
  count?: number
  /** For how long; for good, when absent. */
  forMs?: number
}

export interface AddedFault {
  /** How many requests have met it. */
  count(): number
  remove(): void
}

/** One request, and what became of it. */
export interface Exchange extends Readonly<Asked> {
  /** The bytes of a body that is a blob. */
  readonly blobBytes: number
  /** `performance.now()` when it left. */
  readonly beganAt: number
  endedAt?: number
  /** The status that the server answered with, whether or not the device heard it. */
  status?: number
  /** What it met on the way. */
  readonly faults: Happening['do'][]
  /** What the device heard instead of an answer. */
  failure?: string
}

interface Standing {
  fault: Fault
  until: number
  left: number
  met: number
  name: string | undefined
}

export type Send = (
  url: string,
  init: RequestInit,
  way: { cut: AbortSignal; transport?: typeof fetch },
) => Promise<Response>

/**
 * Faults of requests between a device and the server.
 * @param options.isPoll requests that wait for news: their head comes long before the rest, so
 * they are answered when all of it is here
 */
export function createRequestFaults(options: {
  random: () => number
  isPoll?: Matcher | undefined
  fetch?: typeof fetch | undefined
  onExchange?: ((exchange: Exchange) => void) | undefined
}) {
  const { random, isPoll = () => false, onExchange } = options
  let standing: Standing[] = []
  const exchanges: Exchange[] = []
  let line: { fault: Fault; line: ReturnType<typeof createSlowLine> } | undefined
  /** The request that will arrive again, after the next one that matches. */
  let late: { again: () => Promise<unknown>; when: Matcher | undefined } | undefined

  /** The first fault of this kind that the request meets. */
  function meet<Kind extends Happening['do']>(
    kind: Kind,
    { asked, exchange }: { asked: Asked; exchange: Exchange },
    isFitting: (fault: Extract<Fault, { do: Kind }>) => boolean = () => true,
  ): Extract<Fault, { do: Kind }> | undefined {
    const now = performance.now()
    for (const one of standing) {
      const fault = one.fault as Extract<Fault, { do: Kind }>
      if (fault.do !== kind || one.left <= 0 || now >= one.until) continue
      if (!isFitting(fault) || fault.when?.(asked) === false) continue
      one.left -= 1
      one.met += 1
      exchange.faults.push(kind)
      return fault
    }
    return undefined
  }

  async function pass(way: Met, signal: AbortSignal) {
    const fault = meet('delay', way)
    if (fault && fault.upToMs > 0) await waitFor(random() * fault.upToMs, signal)
  }

  function lineOf(way: Met) {
    const fault = meet('slow', way)
    if (!fault) return undefined
    // All of them share one line.
    if (line?.fault !== fault) line = { fault, line: createSlowLine(fault) }
    return line.line
  }

  async function ask(way: Met, init: RequestInit, told: Parameters<Send>[2]): Promise<Response> {
    const { asked, exchange } = way
    const { url } = asked
    const { cut, transport } = told
    const reachServer = transport ?? options.fetch ?? fetch
    const signal = init.signal ? AbortSignal.any([init.signal, cut]) : cut
    const answer = meet('answer', way)
    if (answer) return toResponse(answer)
    await pass(way, signal)
    // The connection seems alive but delivers nothing: this does not wait for the server's answer.
    if (meet('hang', way)) return await untilAborted(signal)
    await meet('hold', way, ({ side }) => side === 'there')?.until
    const slow = lineOf(way)
    await slow?.upload(init.body, signal)
    if (meet('lose-request', way)) throw new TypeError('fetch failed: the request was lost')
    if (meet('cut-request', way)) {
      await sendHalf(url, { ...init, signal })
      throw new TypeError('fetch failed: the line broke')
    }
    const reach = async (own: AbortSignal | null) => {
      const response = await reachServer(url, { ...init, signal: own })
      if (own) exchange.status = response.status
      return own && slow ? slow.download(response) : response
    }
    if (meet('lose-response', way)) {
      await drain(reach(signal))
      throw new TypeError('fetch failed: the answer was lost')
    }
    const again = async () => {
      const drained = drain(reach(null)).catch(() => {})
      // A frame that gets lost has no answer, ever: nobody waits for one.
      if (!transport) await drained
    }
    if (meet('duplicate', way)) await again()
    const response = await reach(signal)
    if (meet('cut-response', way)) return await cutHalf(response)
    const hold = meet('hold', way, ({ side }) => side === 'back')
    if (isPoll(asked) && !slow) {
      const whole = await readWhole(response)
      await hold?.until
      return whole
    }
    await hold?.until
    const reordered = meet('reorder', way)
    if (late && late.when?.(asked) !== false) {
      const { again: sendLate } = late
      late = undefined
      await sendLate()
    }
    if (reordered) late = { again, when: reordered.when }
    await pass(way, signal)
    return response
  }

  const send: Send = async (url, init, way) => {
    const { method = 'GET', body = null } = init
    const { pathname: path } = new URL(url)
    const text = typeof body === 'string' ? body : undefined
    const exchange: Exchange = {
      method,
      url,
      path,
      // Bodies would stay in memory as long as the lab.
      text: undefined,
      body: undefined,
      blobBytes: body instanceof Blob ? body.size : 0,
      beganAt: performance.now(),
      faults: [],
    }
    exchanges.push(exchange)
    onExchange?.(exchange)
    try {
      return await ask({ asked: { method, url, path, text, body }, exchange }, init, way)
    } catch (error) {
      exchange.failure = error instanceof Error ? error.message : String(error)
      throw error
    } finally {
      exchange.endedAt = performance.now()
      onExchange?.(exchange)
    }
  }

  return {
    send,
    exchanges: exchanges as readonly Exchange[],
    /**
     * Lets a fault happen from now on.
     * @param name takes the place of an earlier one of this name
     */
    add(fault: Fault, name?: string): AddedFault {
      const one: Standing = {
        fault,
        until: performance.now() + (fault.forMs ?? Number.POSITIVE_INFINITY),
        left: fault.count ?? Number.POSITIVE_INFINITY,
        met: 0,
        name,
      }
      standing = [...standing.filter((each) => name === undefined || each.name !== name), one]
      return {
        count: () => one.met,
        remove() {
          standing = standing.filter((each) => each !== one)
        },
      }
    },
    /** Ends every fault; who holds something lets it go. */
    calm() {
      standing = standing.filter(({ fault }) => fault.do === 'hold')
      late = undefined
      line = undefined
    },
  }
}

interface Met {
  asked: Asked
  exchange: Exchange
}

function toResponse({ status, body = '' }: { status: number; body?: string | object }): Response {
  return typeof body === 'string'
    ? new Response(status === 204 || status === 304 ? null : body, { status })
    : Response.json(body, { status })
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** The line breaks after half of the body; the device never hears the server's reaction. */
async function sendHalf(url: string, init: RequestInit): Promise<void> {
  const whole = new Uint8Array(await new Response(init.body ?? null).arrayBuffer())
  const bytes = whole.subarray(0, Math.floor(whole.length / 2))
  if (whole.length === 0) return
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

/** The answer's head and half of its body, and then an error. */
async function cutHalf(response: Response): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  let isGiven = false
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isGiven) return controller.error(new TypeError('terminated: the line broke'))
      isGiven = true
      controller.enqueue(bytes.subarray(0, Math.floor(bytes.length / 2)))
    },
  })
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}

async function readWhole(response: Response): Promise<Response> {
  const { status, statusText, headers } = response
  const body = await response.text()
  return new Response(status === 204 || status === 304 ? null : body, {
    status,
    statusText,
    headers,
  })
}

/** Lets the server finish: reads its answer to the end and discards it. */
async function drain(answer: Promise<Response>): Promise<void> {
  await (await answer).arrayBuffer()
}
