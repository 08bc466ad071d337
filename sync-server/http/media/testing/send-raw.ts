import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

export interface RawRequest {
  port: number
  method?: string
  path: string
  /** Sent unchanged. */
  headers: Record<string, string>
  chunks: readonly (Buffer | string)[]
  /** Cuts the connection when it aborts, but only after the last chunk is out. */
  cutOff?: AbortSignal
}

/** Writes raw HTTP, for requests that no client would send. For tests. */
export async function sendRaw(request: RawRequest): Promise<{ status: number; text: string }> {
  const { port, method = 'POST', path, headers, chunks, cutOff } = request
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const answered = text(socket).catch(() => '')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: petrel\r\n${lines.join('')}\r\n`)
  for (const chunk of chunks) {
    const drained = new Promise((resolve) => socket.once('drain', resolve))
    const bytes = typeof chunk === 'string' ? chunk : new Uint8Array(chunk)
    if (!socket.write(bytes)) await Promise.race([drained, closed])
    socket.removeAllListeners('drain')
  }
  const cut = () => socket.resetAndDestroy()
  if (cutOff?.aborted) cut()
  cutOff?.addEventListener('abort', cut)
  const answer = await answered
  return { status: Number(answer.slice(9, 12)), text: answer }
}
