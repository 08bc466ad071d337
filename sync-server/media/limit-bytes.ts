import { RequestRefused } from '../http/core/request-refused.ts'

const MiB = 1024 * 1024

/**
 * Passes on at most `limitBytes`. @throws RequestRefused `file_too_large` at the first byte above
 */
export async function* limitBytes(
  chunks: AsyncIterable<Buffer>,
  limitBytes: number,
): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > limitBytes) throw refuseTooLarge(limitBytes)
    yield chunk
  }
}

/** The refusal of a file above the limit, with the limit in its words. */
export function refuseTooLarge(limitBytes: number): RequestRefused {
  const words = `File size too large. Maximum size is ${limitBytes / MiB}MB.`
  return new RequestRefused('file_too_large', { words })
}
