import { ApiError } from '../../api/api-error.ts'
import type { OpenFile } from '../../api/caller.ts'
import { createClearingMarks } from '../../database/files/clearing-marks.ts'
import { createFileStore } from '../../database/files/file-store.ts'
import type { CommandContext } from '../../database/storage/collections.ts'
import { CannotOpenFile, openStream } from '../../encryption/sealed-file.ts'
import type { RequestCalls } from '../requests/request-calls.ts'
import type { FiledMessage, Files } from './files-types.ts'

/** Finds message files on this device and downloads missing ones; merges concurrent requests. */
export function createFileAccess(options: {
  context: CommandContext
  calls: Pick<RequestCalls, 'messages'>
  onError: (cause: unknown) => void
  /** A file is about to be viewed. */
  onUsed: (message: FiledMessage, file: Blob) => Promise<void>
  /** The device has stored another file. */
  onKept: () => void
}): Pick<Files, 'find' | 'load' | 'wasCleared'> {
  const { context, calls, onError, onUsed, onKept } = options
  const store = createFileStore(context)
  const loading = new Map<string, Promise<Blob>>()

  async function find(message: FiledMessage): Promise<Blob | undefined> {
    const found = await store.read(message)
    if (found) onUsed(message, found).catch(onError)
    return found
  }

  async function fetchFile(message: FiledMessage): Promise<Blob> {
    const found = await find(message)
    if (found) return found
    const { mediaUrl, file } = message
    if (mediaUrl === undefined) throw new Error('The file is no longer on this device.')
    const fetched = await downloadFile({ calls, mediaUrl, file })
    // It is viewable all the same.
    await store.keep(message, fetched).then(onKept, onError)
    return fetched
  }

  return {
    find,
    wasCleared: createClearingMarks(context).isCovered,
    load(message) {
      const key = message.mediaUrl ?? message._id
      const known = loading.get(key)
      if (known !== undefined) return known
      const own = fetchFile(message).finally(() => loading.delete(key))
      loading.set(key, own)
      return own
    },
  }
}

/**
 * A message's file from the server; a sealed one is opened while it arrives.
 * @throws ApiError, also for one that was damaged on its way
 */
export async function downloadFile(asked: {
  calls: Pick<RequestCalls, 'messages'>
  mediaUrl: string
  file: FiledMessage['file']
  signal?: AbortSignal
}): Promise<Blob> {
  const { calls, mediaUrl, file, signal } = asked
  const { size, key, mimeType = '' } = file ?? {}
  const open = key === undefined ? undefined : openerOf(key, mimeType)
  return await calls.messages.download({ mediaUrl, size, open }, { signal })
}

function openerOf(key: string, mimeType: string): OpenFile {
  return (sealed) =>
    openStream(sealed, key, mimeType).catch((cause: unknown) => {
      if (!(cause instanceof CannotOpenFile)) throw cause
      throw new ApiError({ status: 200, code: 'unreadable', words: cause.message, cause })
    })
}
