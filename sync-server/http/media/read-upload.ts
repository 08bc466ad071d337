import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy'
import { RequestRefused } from '../core/request-refused.ts'

/**
 * The file of a form. `bytes` ends only when the whole form has arrived intact, and throws
 * otherwise.
 */
export interface Upload {
  filename: string | undefined
  bytes: AsyncIterable<Buffer>
}

/** A form carries one file; ignores the few fields that some clients add. */
const formLimits = {
  files: 1,
  fields: 8,
  parts: 9,
  fieldSize: 1024,
  headerPairs: 16,
  headerSize: 8 * 1024,
}

/**
 * Streams a multipart form, holding a few chunks of it.
 * @param signal cancels; the upload then throws the signal's reason
 * @returns its file; undefined when there is no file under this name
 * @throws RequestRefused `form_required`, `upload_unreadable`; the iteration of `bytes` too
 */
export async function readUpload(options: {
  request: IncomingMessage
  fieldName: string
  signal: AbortSignal
}): Promise<Upload | undefined> {
  const { request, fieldName, signal } = options
  signal.throwIfAborted()
  const parser = openParser(request)
  const broken = new AbortController()
  const state = { file: undefined as BusboyFileStream | undefined }

  function fail(reason: unknown) {
    if (broken.signal.aborted) return
    broken.abort(reason)
    stop()
    state.file?.destroy(broken.signal.reason)
  }
  const isUnreadable = (cause?: unknown) => fail(new RequestRefused('upload_unreadable', { cause }))
  const onClose = () => {
    if (!request.readableEnded) isUnreadable()
  }
  const giveUp = () => fail(signal.reason)
  function stop() {
    signal.removeEventListener('abort', giveUp)
    request.unpipe(parser).off('close', onClose).pause()
  }

  const finished = new Promise<void>((resolve, reject) => {
    parser.on('finish', () => {
      stop()
      resolve()
    })
    broken.signal.addEventListener('abort', () => reject(broken.signal.reason))
  })
  finished.catch(() => undefined)

  const upload = new Promise<Upload | undefined>((resolve) => {
    parser.on('file', (name, file, filename) => {
      state.file = file
      // The reader of `file` gets the error; without a reader yet, it must not end the process.
      file.on('error', () => undefined)
      if (name === fieldName) return resolve({ filename, bytes: readFile(file) })
      stop()
      resolve(undefined)
    })
  })

  async function* readFile(file: BusboyFileStream): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of file) yield chunk
      await finished
    } catch (cause) {
      // The file stream wraps the parser's own errors.
      isUnreadable(cause)
      throw broken.signal.reason
    } finally {
      stop()
    }
  }

  parser.on('error', isUnreadable)
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit']) parser.on(limit, isUnreadable)
  request.on('error', isUnreadable).on('close', onClose)
  signal.addEventListener('abort', giveUp)
  request.pipe(parser)
  return await Promise.race([upload, finished.then(() => undefined)])
}

function openParser(request: IncomingMessage) {
  const { headers } = request
  const isForm = /^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '')
  const { 'content-encoding': encoding = 'identity' } = headers
  if (!isForm || encoding !== 'identity') throw new RequestRefused('form_required')
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits: formLimits })
  } catch (cause) {
    throw new RequestRefused('upload_unreadable', { cause })
  }
}
