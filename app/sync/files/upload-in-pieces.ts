import { limits } from '../../../schema/limits.ts'
import { ApiError } from '../../api/api-error.ts'
import { joinSignals } from '../../api/caller.ts'
import type { RequestCalls, Uploaded } from '../requests/request-calls.ts'

const leastBytes = limits.uploadPieceBytes
/** Larger requests would gain little, and make the progress coarser. */
const mostBytes = 16 * leastBytes
/** On a slower line than that, every request carries only the smallest storable piece. */
const quickMs = 1_000

type Calls = Pick<RequestCalls['messages'], 'upload' | 'beginUpload' | 'continueUpload'>

/**
 * Uploads a file in several requests, resuming an earlier attempt. A small file takes one request,
 * and so does any file when the server does not support pieces.
 * @param given.key identifies the upload across retries
 * @param given.closing ends what `signal` leaves: on a cancel, the server must not hear of the end
 * before the beginning
 * @param given.onBegin from then on the server may hold a part, until it has all or hears of the
 * cancel
 * @param given.onProgress the share that the server holds, from 0 to 1
 */
export async function uploadInPieces(given: {
  calls: Calls
  file: Blob
  filename: string
  key: string
  signal: AbortSignal
  closing: AbortSignal
  now: () => number
  onBegin: () => void
  onProgress: (share: number) => void
}): Promise<Uploaded> {
  const { calls, file, filename, key, signal, closing, now, onBegin, onProgress } = given
  const whole = () => calls.upload({ file, filename }, { key, signal })
  if (file.size <= leastBytes) return await whole()
  onBegin()
  const upload = { uploadId: key, size: file.size, filename }
  const beginning = askOnce(closing, (own) => calls.beginUpload(upload, { signal: own }))
  const found = await beginning.catch((cause: unknown) => {
    if (!isUnknownCall(cause)) throw cause
  })
  signal.throwIfAborted()
  if (!found) return await whole()
  let soFar = found
  let bytes = leastBytes
  while (!soFar.file) {
    const { offset } = soFar
    onProgress(offset / file.size)
    const begunAt = now()
    const part = file.slice(offset, offset + bytes)
    const given = { uploadId: key, offset, bytes: part }
    soFar = await askOnce(signal, (own) => calls.continueUpload(given, { signal: own }))
    if (!soFar.file && soFar.offset <= offset) throw noProgress()
    const isQuick = now() - begunAt < quickMs
    bytes = isQuick ? Math.min(2 * bytes, mostBytes) : leastBytes
  }
  return soFar.file
}

/** Such an answer would make this resend the same bytes for ever: retry after a while instead. */
function noProgress(): ApiError {
  return new ApiError({ status: 200, code: 'unreadable', words: 'Failed to upload media' })
}

/** Removes a finished request's listener: one file makes many requests. */
async function askOnce<Answer>(
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const over = new AbortController()
  try {
    return await ask(joinSignals([signal, over.signal]))
  } finally {
    over.abort()
  }
}

/** The server is older than this app. */
export function isUnknownCall(cause: unknown): boolean {
  return cause instanceof ApiError && ['not_found', 'method_not_allowed'].includes(cause.code)
}
