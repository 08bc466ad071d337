import type { ClientEvent, ServerEvent } from '../../../../schema/api/socket-events.ts'
import { epochHeader } from '../../../../schema/api/wire.ts'
import { createDeferred } from '../../../../schema/helpers/deferred.ts'
import { limits } from '../../../../schema/limits.ts'
import { orAborted } from '../../platform/back-off.ts'
import { type Line, slowestLine } from './fetch-with-stall-timeout.ts'

type Answered = Extract<ServerEvent, { event: 'push-answered' }>['data']

/** Larger bodies go by HTTP: the rest of the frame is its envelope. */
const mostBytes = limits.socketFrameMaxBytes * (3 / 4)
/** Half of what the server takes from a person; further ones go by HTTP. */
const perSecond = 30
/** A server that takes pushes says something at each ping. */
const heardWithinMs = limits.socketPingEveryMs + 5_000
/** This share of the longest silence is enough of a wait for an answer. */
const patientPart = 1 / 6

/**
 * A `fetch` whose pushes go over the socket while its server takes them. The line is never the truth
 * (P7): whatever is doubtful goes by HTTP within the same call, at worst a second time. The socket
 * pushes for the person of its token, which is this messenger's for as long as the socket is open.
 */
export function createPushLine(options: {
  /** False when there is no line. */
  send: (event: ClientEvent) => boolean
  fetch: typeof fetch
  /** Epoch ms: other clocks may stand still while a device sleeps. */
  now: () => number
  line?: Line | undefined
}) {
  const { send, now, line = slowestLine } = options
  const state = { isTaken: false, heardAt: 0, lastId: 0, left: perSecond, filledAt: 0 }
  const waiting = new Map<
    number,
    { answer: (answered: Answered | undefined) => void; isHeard: boolean }
  >()

  function takeTurn(): boolean {
    const at = performance.now()
    state.left = Math.min(perSecond, state.left + ((at - state.filledAt) / 1_000) * perSecond)
    state.filledAt = at
    if (state.left < 1) return false
    state.left -= 1
    return true
  }

  /** After a sleep the socket may be dead, and a person would wait for nothing. */
  const isFresh = () => Math.abs(now() - state.heardAt) < heardWithinMs

  /** @returns undefined when the outcome is unknown */
  async function push(asked: {
    database: string
    body: string
    bytes: number
    signal: AbortSignal | null | undefined
  }): Promise<Answered | undefined> {
    const { database, body, bytes, signal } = asked
    const { docs } = JSON.parse(body) as { docs: unknown }
    state.lastId += 1
    const id = state.lastId
    if (!send({ event: 'push-documents', data: { id, database, docs } })) return undefined
    const { promise, resolve } = createDeferred<Answered | undefined>()
    const one = { answer: resolve, isHeard: false }
    waiting.set(id, one)
    const patienceMs = line.silenceMs * patientPart + (bytes / line.bytesPerSecond) * 1_000
    const lose = () => {
      // Whatever swallows frames must not cost each push this long.
      state.isTaken = false
      resolve(undefined)
    }
    // A server that says something else meanwhile may be slow, and gets the same time once more.
    const look = () => {
      if (one.isHeard) timer = setTimeout(lose, patienceMs)
      else lose()
    }
    let timer = setTimeout(look, patienceMs)
    try {
      return await (signal ? orAborted(promise, signal) : promise)
    } finally {
      clearTimeout(timer)
      waiting.delete(id)
    }
  }

  async function pushOverLine(input: unknown, init: RequestInit | undefined) {
    const [, database] = /\/sync\/(\w+)\/_bulk_docs$/.exec(String(input)) ?? []
    const body = init?.body
    if (database === undefined || typeof body !== 'string') return undefined
    if (!state.isTaken || !isFresh()) return undefined
    const bytes = body.length > mostBytes ? body.length : new Blob([body]).size
    if (bytes > mostBytes || !takeTurn()) return undefined
    const answered = await push({ database, body, bytes, signal: init?.signal })
    // The sign-in of the socket may be an earlier one: a request asks with the present one.
    return answered?.status === 401 ? undefined : answered
  }

  return {
    fetch: (async (input, init) => {
      const answered = await pushOverLine(input, init)
      return answered ? toResponse(answered) : await options.fetch(input, init)
    }) satisfies typeof fetch as typeof fetch,
    handle(event: ServerEvent) {
      if (event.event === 'pushes-taken') state.isTaken = true
      if (event.event === 'push-answered') waiting.get(event.data.id)?.answer(event.data)
    },
    /** The line is alive: something came, of whatever kind. */
    recordFrame() {
      state.heardAt = now()
      for (const one of waiting.values()) one.isHeard = true
    },
    /** The line is lost: the next one has to say again that it takes pushes. */
    forget() {
      state.isTaken = false
      for (const { answer } of waiting.values()) answer(undefined)
    },
  }
}

/** The same answer as over HTTP. */
function toResponse({ status, body, epoch, now, retryAfterSeconds }: Answered): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json',
      'x-petrel-now': String(now),
      ...(epoch !== undefined && { [epochHeader]: epoch }),
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
  })
}
