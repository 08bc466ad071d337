import {
  parseClientFrame,
  parseServerFrame,
  type ServerEvent,
} from '../../../schema/api/socket-events.ts'
import { epochHeader } from '../../../schema/api/wire.ts'
import type { FrameTaker, TakenSocket } from '../kit/network.ts'

type Answered = Extract<ServerEvent, { event: 'push-answered' }>['data']

/**
 * The pushes of a device over one socket: they meet the faults of requests, as `PUSH` and the
 * address that a request would have. Where a request's answer would be lost, the socket breaks.
 */
export function createPushFrames(socket: TakenSocket): FrameTaker {
  const { origin, send, give, cut, closed, ask } = socket
  /** The same push may be on its way twice. */
  const waiting = new Map<number, ((answered: Answered) => void)[]>()

  function transport(id: number, text: string): Promise<Response> {
    return new Promise((resolve, reject) => {
      const end = () => reject(new TypeError('The socket is closed.'))
      if (closed.aborted) return end()
      closed.addEventListener('abort', end, { once: true })
      const others = waiting.get(id) ?? []
      const answer = (answered: Answered) => {
        closed.removeEventListener('abort', end)
        resolve(toResponse(answered))
      }
      waiting.set(id, [...others, answer])
      send(text)
    })
  }

  async function push(text: string, asked: { id: number; database: string; docs?: unknown }) {
    const { id, database, docs } = asked
    const url = `${origin}/sync/${database}/_bulk_docs`
    const init = { method: 'PUSH', body: JSON.stringify({ docs }) }
    const response = await ask(url, init, { cut: closed, transport: () => transport(id, text) })
    if (!closed.aborted) give(await writeAnswer(id, response))
  }

  return {
    /** @returns false for every other frame */
    take(text: string): boolean {
      const said = parseClientFrame(text)
      if (said?.event !== 'push-documents') return false
      push(text, said.data).catch(cut)
      return true
    },
    /** @returns false for every other frame, and for answers that nobody waits for */
    hear(text: string): boolean {
      const heard = parseServerFrame(text)
      if (heard?.event !== 'push-answered') return false
      const [first, ...others] = waiting.get(heard.data.id) ?? []
      waiting.set(heard.data.id, others)
      first?.(heard.data)
      return first !== undefined
    },
  }
}

function toResponse({ status, body, epoch, now, retryAfterSeconds }: Answered): Response {
  return Response.json(body, {
    status,
    headers: {
      'x-petrel-now': String(now),
      ...(epoch !== undefined && { [epochHeader]: epoch }),
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
  })
}

/** A fault's answer may be no JSON; it tells no time. */
async function writeAnswer(id: number, response: Response): Promise<string> {
  const { status, headers } = response
  const text = await response.text()
  const retryAfter = headers.get('retry-after')
  const data: Answered = {
    id,
    status,
    body: headers.get('content-type')?.includes('json') ? JSON.parse(text) : text,
    epoch: headers.get(epochHeader) ?? undefined,
    now: Number(headers.get('x-petrel-now') ?? 0),
    ...(retryAfter !== null && { retryAfterSeconds: Number(retryAfter) }),
  }
  return JSON.stringify({ event: 'push-answered', data })
}
