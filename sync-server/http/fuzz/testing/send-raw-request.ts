import { type Agent, request as httpRequest } from 'node:http'

/** A request exactly as sent: `fetch` would normalise it. */
export interface RawRequest {
  method: string
  path: string
  headers?: Record<string, string>
  /** Each character is one byte, so that every byte can be written. */
  body?: string | undefined
}

export interface RawAnswer {
  status: number
  type: string
  text: string
}

const hangMs = 15_000

/** @throws Error when no complete answer arrives in time */
export function sendRawRequest(
  port: number,
  { method, path, headers = {}, body }: RawRequest,
  agent?: Agent,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const length =
      body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body, 'latin1')) }
    const sent = httpRequest(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent,
        timeout: hangMs,
        headers: { ...length, ...headers },
      },
      (response) => {
        const pieces: string[] = []
        response.setEncoding('utf8')
        response.on('data', (piece: string) => pieces.push(piece))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers['content-type'] ?? '',
            text: pieces.join(''),
          }),
        )
      },
    )
    sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} hangs`)))
    // A server that has answered may ignore the rest of a refused body: this error comes too late
    // to count.
    sent.on('error', reject)
    sent.end(body, 'latin1')
  })
}
