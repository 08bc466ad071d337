import { once } from 'node:events'
import { type Agent, type IncomingMessage, request } from 'node:http'

/** One process's requests to a server, and its answers. */
export interface LoadCounts {
  requests: number
  frames: number
}

export interface LoadAnswer {
  body: unknown
  headers: IncomingMessage['headers']
}

/**
 * Sends a request over a kept-alive connection.
 * @param asked.body makes it a POST
 * @throws Error for an answer that is not 200 or 201
 */
export async function askServer(
  url: string,
  asked: { agent: Agent; token: string; body?: unknown; counts: LoadCounts },
): Promise<LoadAnswer> {
  const { agent, token, body, counts } = asked
  counts.requests += 1
  const text = body === undefined ? undefined : JSON.stringify(body)
  const sent = request(url, {
    agent,
    method: text === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(text !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }),
    },
  })
  sent.end(text)
  const [response] = (await once(sent, 'response').catch((error: unknown) => {
    // The server had just closed a kept-alive connection: every client retries then.
    if (sent.reusedSocket && isReset(error)) return []
    throw error
  })) as [IncomingMessage?]
  if (!response) return await askServer(url, asked)
  const parts: string[] = []
  for await (const part of response.setEncoding('utf8')) parts.push(part)
  const { statusCode = 0, headers } = response
  const answer = parts.join('')
  if (statusCode !== 200 && statusCode !== 201) {
    throw new Error(`${url}: ${statusCode} ${answer.slice(0, 200)}`)
  }
  return { body: JSON.parse(answer), headers }
}

function isReset(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ECONNRESET'
}
