import { sealedFileName } from '../../../schema/encryption/sealed-part.ts'
import { slicesOf } from '../../../schema/helpers/lists.ts'
import { limits } from '../../../schema/limits.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { ApiError } from '../../api/api-error.ts'
import { createFileStore } from '../../database/files/file-store.ts'
import type { CommandContext } from '../../database/storage/collections.ts'
import type { StoredEpoch } from '../../database/storage/open-device-store.ts'
import { readDocuments } from '../../database/storage/read-documents.ts'
import { sealFile } from '../../encryption/sealed-file.ts'
import type { BackOff } from '../platform/back-off.ts'
import { judgeFailure } from '../requests/judge-failure.ts'
import type { RequestCalls } from '../requests/request-calls.ts'
import { isUnknownCall, uploadInPieces } from './upload-in-pieces.ts'

/** The name under which the device notes the epoch of its last file comparison with the server. */
const filesEpoch = 'files'

type Sent = Pick<MessageDocument, '_id' | 'mediaUrl' | 'file'> & { mediaUrl: string }

/**
 * After a restore: uploads the files that this device sent and still holds, and the server lost,
 * each to the address in its message. Runs once per epoch; an interrupted run starts over with less
 * left.
 */
export async function putBackFiles(options: {
  context: CommandContext
  calls: Pick<RequestCalls, 'messages'>
  backOff: BackOff
  signal: AbortSignal
  onError: (cause: unknown) => void
}): Promise<void> {
  const { context, backOff, signal, onError } = options
  const { messages: calls } = options.calls
  const { messages, device } = context.database
  const store = createFileStore(context)

  async function readSent(ids: readonly string[]): Promise<Sent[]> {
    const stored = await readDocuments(messages, ids)
    return [...stored.values()].flatMap(({ _id, senderId, mediaUrl, file, deletedAt }) =>
      senderId === context.userId && mediaUrl !== undefined && file && deletedAt === undefined
        ? [{ _id, mediaUrl, file }]
        : [],
    )
  }

  async function findMissing(sent: readonly Sent[]): Promise<string[]> {
    if (sent.length === 0) return []
    const uploads = sent.map(({ _id: id, mediaUrl }) => ({ id, mediaUrl }))
    return await calls.findMissingUploads(uploads, { signal })
  }

  /** @returns false when the server refuses it */
  async function upload(id: string): Promise<boolean> {
    // It may have been deleted, or trimmed, since it was listed.
    const [message] = await readSent([id])
    const held = message && (await store.read({ _id: id }))
    if (!message?.file || !held) return true
    const { key } = message.file
    const file = key ? await sealFile(held, key) : held
    try {
      await uploadInPieces({
        calls,
        file,
        filename: key ? sealedFileName : message.file.name,
        key: id,
        now: context.now,
        signal,
        closing: signal,
        onBegin: () => {},
        onProgress: () => backOff.succeed(),
      })
      return true
    } catch (cause) {
      signal.throwIfAborted()
      if (judgeFailure(cause) !== 'refused') throw cause
      return false
    }
  }

  async function lookThrough(): Promise<boolean> {
    let isWhole = true
    for (const ids of slicesOf(await store.listMessageIds(), limits.askedUploadsMax)) {
      const sent = await readSent(ids)
      const missing = await findMissing(sent)
      for (const id of missing) isWhole = (await upload(id)) && isWhole
      // Another request makes the server grant access to those who have the messages.
      if (missing.length > 0) await findMissing(sent)
    }
    return isWhole
  }

  /** @returns whether there may be more to do now */
  async function lookOnce(epoch: string): Promise<boolean> {
    const attempt = await backOff.begin(signal)
    try {
      if (!(await lookThrough())) return false
      await device.epochs.put({ _id: filesEpoch, epoch, isRenewed: true })
      backOff.succeed()
      return true
    } catch (cause) {
      signal.throwIfAborted()
      // An older server lacks this call, or there is no sign-in: the next start checks again.
      if (isUnknownCall(cause) || judgeFailure(cause) !== 'again') return false
      if (!(cause instanceof ApiError)) onError(cause)
      const atLeastMs = cause instanceof ApiError ? cause.retryAfterMs : undefined
      backOff.fail(attempt, atLeastMs === undefined ? {} : { atLeastMs })
      return true
    }
  }

  for (;;) {
    const epoch = findUnseenEpoch(await device.epochs.toArray())
    if (epoch === undefined || !(await lookOnce(epoch))) return
  }
}

/** The restored epoch for which no file check has run yet; undefined when there is none. */
export function findUnseenEpoch(rows: readonly StoredEpoch[]): string | undefined {
  const find = (name: string) => rows.find(({ _id }) => _id === name)
  const messages = find('messages')
  if (!messages?.isRenewed) return undefined
  return messages.epoch === find(filesEpoch)?.epoch ? undefined : messages.epoch
}
