import pLimit from 'p-limit'
import { sealedFileName } from '../../../schema/encryption/sealed-part.ts'
import { refusalOfGroup } from '../../../schema/group.ts'
import { wordsOf } from '../../../schema/helpers/text.ts'
import { isUploadOwed, type MessageDocument } from '../../../schema/message.ts'
import { ApiError } from '../../api/api-error.ts'
import { joinSignals } from '../../api/caller.ts'
import { createFileStore } from '../../database/files/file-store.ts'
import type { CommandContext } from '../../database/storage/collections.ts'
import { readDocuments } from '../../database/storage/read-documents.ts'
import { fromStoredMessage } from '../../database/storage/stored-message.ts'
import type { SettableLiveValue } from '../../database/views/live-value.ts'
import { sealFile } from '../../encryption/sealed-file.ts'
import { type BackOff, createBackOff } from '../platform/back-off.ts'
import type { Platform } from '../platform/platform.ts'
import { judgeFailure } from '../requests/judge-failure.ts'
import type { RequestCalls, Uploaded } from '../requests/request-calls.ts'
import type { PendingFiles } from './pending-files.ts'
import { createFirstSealing } from './push-seal.ts'
import { uploadInPieces } from './upload-in-pieces.ts'

/**
 * An own message's upload state. `words`: why the server has not accepted the file yet, if it said
 * so. `isPassed`: later messages do not wait for it any more. `share`: the part that the server holds, from 0 to 1, if known.
 */
export type UploadState =
  | { kind: 'waiting'; words?: string; isPassed?: true }
  | { kind: 'uploading'; share?: number }

export type Uploads = ReturnType<typeof createUploads>

const mostAtOnce = 2
/** So often a file is refused alone, while other calls pass, before later messages pass it. */
const refusalsMost = 2
const missingWords = 'The file is no longer on this device. Attach it again.'

/**
 * Uploads waiting files: in order within a conversation, independently across conversations.
 * Retries failures for ever, with growing delays; a refused file stays with its message and the
 * reason (P6). A file that the server cannot accept yet does not hold up later messages.
 */
export function createUploads(options: {
  pending: PendingFiles
  calls: Pick<RequestCalls, 'messages' | 'own'>
  context: CommandContext
  platform: Pick<Platform, 'page' | 'random'>
  /** Reads a person's record, with their keys, from the server. */
  askPerson: (userId: string) => Promise<unknown>
  /** Asked after the server said that a sign-in has ended: it may concern an earlier sign-in. */
  isSignedIn: () => boolean
  onSignedOut: () => void
  /** Receives each file's state, by the message's id. */
  states: SettableLiveValue<ReadonlyMap<string, UploadState>>
  onError: (cause: unknown) => void
}) {
  const { pending, calls, context, platform, isSignedIn, onSignedOut, states, onError } = options
  const { messages } = context.database
  const files = createFileStore(context)
  const sealing = createFirstSealing({ context, askPerson: options.askPerson })
  const closing = new AbortController()
  const { signal } = closing
  const lanes = new Map<string, { backOff: BackOff; ended: Promise<void> }>()
  /** Files of which the server may hold a part. */
  const begun = new Set<string>()
  /** How often each file was refused while other calls passed. */
  const refusals = new Map<string, number>()
  const limit = pLimit(mostAtOnce)

  function onState(messageId: string, state?: UploadState) {
    const next = new Map(states.getSnapshot())
    if (state) next.set(messageId, state)
    else next.delete(messageId)
    states.set(next)
  }

  function look() {
    if (signal.aborted) return
    for (const { peerId } of pending.listOwed()) if (!lanes.has(peerId)) openLane(peerId)
  }

  function openLane(peerId: string) {
    const backOff = createBackOff({ random: platform.random })
    const ended = runLane(peerId, backOff)
      .catch((cause: unknown) => {
        if (!signal.aborted) onError(cause)
      })
      .finally(() => {
        lanes.delete(peerId)
        look()
      })
    lanes.set(peerId, { backOff, ended })
  }

  async function runLane(peerId: string, backOff: BackOff) {
    for (;;) {
      const attempt = await backOff.begin(signal)
      await endCancelled()
      const [next] = pending
        .listOwed()
        .filter((message) => message.peerId === peerId)
        .sort((a, b) => a.orderedAt - b.orderedAt)
      if (!next) return
      const waitMs = await limit(() => upload(next._id, backOff)).catch(recordTrouble)
      if (waitMs === undefined) backOff.succeed()
      else backOff.fail(attempt, { atLeastMs: waitMs })
    }
  }

  /** Frees the server's space for cancelled files. */
  async function endCancelled() {
    for (const id of begun) {
      if (pending.get(id)) continue
      begun.delete(id)
      // If unreachable, the server discards it by itself some days later.
      await calls.messages.endUpload(id, { signal }).catch(() => {})
    }
  }

  /** This device failed to read or write: retry later, as for an unreachable server. */
  function recordTrouble(cause: unknown): number {
    signal.throwIfAborted()
    onError(cause)
    return 0
  }

  /** @returns undefined when finished, else the minimum delay that the server asks for */
  async function upload(id: string, backOff: BackOff): Promise<number | undefined> {
    signal.throwIfAborted()
    const stored = (await readDocuments(messages, [id])).get(id)
    const message = stored && fromStoredMessage(stored)
    // Changed since it was listed, by this tab or another.
    if (message) pending.record([message])
    if (!message?.file || !isUploadOwed(message) || !pending.get(id)) return undefined
    // The server takes nothing into it, and nobody is left to seal it for.
    if (context.database.groups.get(message.peerId)?.hasLeft) {
      const { error: words, code } = refusalOfGroup('group_left')
      return await refuse(id, { words, code })
    }
    const held = await files.read(message)
    if (!held) return await refuse(id, { words: missingWords, code: 'file_missing' })
    const about = await sealing.sealFirst(message).catch((cause: unknown) => {
      signal.throwIfAborted()
      if (!(cause instanceof ApiError)) onError(cause)
      return undefined
    })
    // Whether it has to be sealed is not known yet: it waits, as for an unreachable server.
    if (!about) return 0
    const key = about.file?.key
    const file = key ? await sealFile(held, key) : held
    const cancelling = new AbortController()
    const stopWatching = pending.subscribe(() => {
      if (!pending.get(id)) cancelling.abort(new Error('The message was discarded.'))
    })
    onState(id, { kind: 'uploading' })
    /** How much of it the server held before; undefined when it fits one request. */
    let found: number | undefined
    try {
      const uploaded = await uploadInPieces({
        calls: calls.messages,
        file,
        filename: key ? sealedFileName : message.file.name,
        key: id,
        signal: joinSignals([signal, cancelling.signal]),
        closing: signal,
        now: context.now,
        onBegin: () => void begun.add(id),
        onProgress(share) {
          found ??= share
          // A line that keeps breaking gets quick retries, as long as it makes progress.
          if (share > found) backOff.succeed()
          onState(id, { kind: 'uploading', share })
        },
      })
      begun.delete(id)
      await files.recordAddress(id, uploaded.mediaUrl)
      await pending.change(id, (current) => addAddress(current, uploaded))
      onState(id)
      return undefined
    } catch (cause) {
      signal.throwIfAborted()
      if (!cancelling.signal.aborted) return await judge(id, cause)
      onState(id)
      return undefined
    } finally {
      stopWatching()
      // Finished: removes its listener from the signal of all uploads.
      cancelling.abort()
    }
  }

  async function judge(id: string, cause: unknown): Promise<number | undefined> {
    const words = wordsOf(cause)
    const judgement = judgeFailure(cause)
    if (judgement === 'refused') {
      return await refuse(id, { words, code: cause instanceof ApiError ? cause.code : 'unknown' })
    }
    const isFromServer =
      cause instanceof ApiError && cause.status >= 400 && cause.code !== 'timeout'
    const isPassed = await isRefusedAlone(id, cause)
    onState(id, {
      kind: 'waiting',
      ...(isFromServer && { words }),
      ...(isPassed && { isPassed }),
    })
    if (isPassed) pending.recordStuck(id)
    if (judgement === 'signed-out' && !isSignedIn()) {
      closing.abort(new Error('The sign-in has ended.'))
      onSignedOut()
      return undefined
    }
    if (!(cause instanceof ApiError)) onError(cause)
    return cause instanceof ApiError ? cause.retryAfterMs : 0
  }

  /** Trouble that meets everything says nothing about this file: then all wait in their order. */
  async function isRefusedAlone(id: string, cause: unknown): Promise<boolean> {
    if (!(cause instanceof ApiError) || cause.status === 0 || isBusy(cause)) return false
    const passes = await calls.own.listSessions().then(
      () => true,
      () => false,
    )
    signal.throwIfAborted()
    const count = passes ? (refusals.get(id) ?? 0) + 1 : 0
    refusals.set(id, count)
    return count >= refusalsMost
  }

  async function refuse(id: string, { words, code }: { words: string; code: string }) {
    await pending.change(id, (current) =>
      current.status === 'sending' && isUploadOwed(current)
        ? { ...current, status: 'failed', error: words, errorCode: code }
        : current,
    )
    onState(id)
    return undefined
  }

  function hurry() {
    for (const { backOff } of lanes.values()) backOff.hurry()
  }

  const unsubscribes = [
    pending.subscribe(look),
    platform.page.subscribe((event) => {
      if (event === 'online' || event === 'front') hurry()
    }),
    // What could not be sealed can be now.
    context.database.keyring.onChange(hurry),
    context.database.peerKeys.onChange(hurry),
  ]
  look()
  return {
    /** An external sign of life: retries immediately. */
    hurry,
    /** Ms until the next attempt in a conversation; undefined while it may start. */
    nextTryInMs: (peerId: string) => lanes.get(peerId)?.backOff.remainingMs(),
    async close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
      closing.abort(new Error('Uploading has ended.'))
      await Promise.all([...lanes.values()].map(({ ended }) => ended))
    },
  }
}

/** The server accepts nothing from anyone now, or not this much: texts would fare no better. */
function isBusy({ status }: ApiError): boolean {
  return [401, 408, 425, 429, 503].includes(status)
}

/** The type as the server detected it from the bytes. */
function addAddress(message: MessageDocument, uploaded: Uploaded): MessageDocument {
  if (!message.file || !isUploadOwed(message) || message.status !== 'sending') return message
  const { mediaUrl, type, mimeType, size } = uploaded
  // Of what is sealed the server sees only bytes.
  if (message.file.key) return { ...message, mediaUrl }
  return { ...message, mediaUrl, type, file: { ...message.file, mimeType, size } }
}
