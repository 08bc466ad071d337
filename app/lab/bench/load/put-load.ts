import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { takePercentile } from '../figures/take-percentile.ts'

/** One load turn's measurements. */
export interface Load {
  tookMs: number[]
  forMs: number
  /** The server's processor time during the measurement, in seconds. */
  processorSeconds: number
}

interface Asked {
  method: 'GET' | 'POST'
  path: string
  token?: string
  body?: unknown
}

/**
 * Runs `clients` for `forMs`, each sending requests in sequence over its kept-alive connection.
 * @param ask a client's next request
 * @throws Error for the first answer that is not 200 or 201
 */
export async function putLoad(options: {
  origin: string
  clients: number
  ask: (client: number) => Asked
  /** The server's processor time since its start, in seconds. */
  readProcessor: () => Promise<number>
  forMs?: number
}): Promise<Load> {
  const { origin, clients, ask, readProcessor, forMs = 4_000 } = options
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const took: number[] = []
  const before = await readProcessor()
  const start = performance.now()

  async function work(client: number) {
    while (performance.now() < start + forMs) {
      const sentAt = performance.now()
      await send(origin, agent, ask(client))
      took.push(performance.now() - sentAt)
    }
  }

  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)))
  const measuredMs = performance.now() - start
  const processorSeconds = (await readProcessor()) - before
  agent.destroy()
  return { tookMs: took, forMs: measuredMs, processorSeconds }
}

/** Several turns as one. */
export function joinLoads(loads: readonly Load[]): Load {
  return {
    tookMs: loads.flatMap(({ tookMs }) => tookMs),
    forMs: loads.reduce((sum, { forMs }) => sum + forMs, 0),
    processorSeconds: loads.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0),
  }
}

export function describeLoad({ tookMs, forMs, processorSeconds }: Load) {
  return {
    perSecond: tookMs.length / (forMs / 1000),
    p99Ms: takePercentile(tookMs, 0.99),
    processorMs: (processorSeconds / tookMs.length) * 1000,
  }
}

async function send(origin: string, agent: Agent, { method, path, token, body }: Asked) {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const sent = request(`${origin}${path}`, {
    agent,
    method,
    headers: {
      ...(text !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
  })
  sent.end(text)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  const { statusCode = 0 } = response
  if (statusCode !== 200 && statusCode !== 201) throw new Error(`${path}: ${statusCode}`)
}
