import type { ServerResponse } from 'node:http'

interface Watcher {
  /** Called before writing a piece of `bytes`. @returns false to forbid the write */
  mayWrite(bytes: number): boolean
  /** Called when a piece of `bytes` has left for the network. */
  recordSent(bytes: number): void
}

type Written = (error?: Error | null) => void

/**
 * Reports each piece of an answer when written and when sent. What `end` writes counts as sent when
 * the response closes. Measures text by its characters.
 */
export function meterAnswer(response: ServerResponse, { mayWrite, recordSent }: Watcher): void {
  const { write, end } = response

  response.write = (chunk: unknown, ...rest: unknown[]): boolean => {
    const bytes = measure(chunk)
    if (!mayWrite(bytes)) return false
    const [encoding] = rest.filter((one) => typeof one === 'string')
    const written = rest.find((one): one is Written => typeof one === 'function')
    const record: Written = (error) => {
      recordSent(bytes)
      written?.(error)
    }
    return Reflect.apply(write, response, [chunk, encoding, record])
  }

  response.end = (...given: unknown[]) => {
    if (mayWrite(measure(given[0]))) Reflect.apply(end, response, given)
    return response
  }
}

function measure(chunk: unknown): number {
  if (typeof chunk === 'string') return chunk.length
  return chunk instanceof Uint8Array ? chunk.byteLength : 0
}
