import pLimit from 'p-limit'
import { isUploadOwed, type MessageDocument } from '../../../schema/message.ts'
import { ApiError } from '../../api/api-error.ts'
import { joinSignals } from '../../api/join-signals.ts'
import { createFileStore } from '../../database/files/file-store.ts'
import type { CommandContext } from '../../database/storage/command-context.ts'
import { readDocuments } from '../../database/storage/read-documents.ts'
import { fromStoredMessage } from '../../database/storage/stored-message.ts'
import type { SettableLiveValue } from '../../database/views/live-value.ts'
import { type BackOff, createBackOff } from '../platform/back-off.ts'
import type { Platform } from '../platform/platform.ts'
import { judgeFailure } from '../requests/judge-failure.ts'
import type { RequestCalls, Uploaded } from '../requests/request-calls.ts'
import type { PendingFiles } from './pending-files.ts'
import { uploadInPieces } from './upload-in-pieces.ts'

/**
 * How it stands with the file of an own message. `words`: why the server has not taken it yet, where it said so. `share`:
 * how much of it the server holds, from 0 to 1, where that is known.
 */
export type UploadState =
  | { kind: 'waiting'; words?: string }
  | { kind: 'uploading'; share?: number }

export type Uploads = ReturnType<typeof createUploads>

const mostAtOnce = 2
const missingWords = 'The file is no longer on this device. Attach it again.'

/**
 * Uploads the files of messages that wait for it: in order for each conversation, and none held up by another. What
 * fails is tried again for ever, ever more slowly; what the server refuses stays with its message, and the reason (P6).
 * What the server answers and cannot take holds up nothing that was said after it.
 */
export function createUploads(options: {
  pending: PendingFiles
  calls: Pick<RequestCalls, 'messages'>
  context: CommandContext
  platform: Pick<Platform, 'page' | 'random'>
  /** Asked after a 401: may have been said of an earlier sign-in. */
  isSignedIn: () => boolean
  onSignedOut: () => void
  /** Where it is told how it stands with each file, by the message's id. */
  states: SettableLiveValue<ReadonlyMap<string, UploadState>>
  onError: (cause: unknown) => void
}) {
  const { pending, calls, context, platform, isSignedIn, onSignedOut, states, onError } = options
  const { messages } = context.database
  const files = createFileStore(context)
  const closing = new AbortController()
  const { signal } = closing
  const lanes = new Map<string, { backOff: BackOff; ended: Promise<void> }>()
  /** Those of which the server may hold a part. */
  const begun = new Set<string>()
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

  /** What the server holds of files that were cancelled takes no more room there. */
  async function endCancelled() {
    for (const id of begun) {
      if (pending.get(id)) continue
      begun.delete(id)
      // Where the server can't be reached, it gives it up by itself some days later.
      await calls.messages.endUpload(id, { signal }).catch(() => {})
    }
  }

  /** This device could not read or write: it may after a while, as with a server that is away. */
  function recordTrouble(cause: unknown): number {
    signal.throwIfAborted()
    onError(cause)
    return 0
  }

  /** @returns undefined when it is over with, else for how long at least the server wants to be left alone */
  async function upload(id: string, backOff: BackOff): Promise<number | undefined> {
    signal.throwIfAborted()
    const stored = (await readDocuments(messages, [id])).get(id)
    const message = stored && fromStoredMessage(stored)
    // Changed since it was listed, by this tab or another.
    if (message) pending.record([message])
    if (!message?.file || !isUploadOwed(message) || !pending.get(id)) return undefined
    const file = await files.read(message)
    if (!file) return await refuse(id, { words: missingWords, code: 'file_missing' })
    const cancelling = new AbortController()
    const stopWatching = pending.subscribe(() => {
      if (!pending.get(id)) cancelling.abort(new Error('The message was discarded.'))
    })
    onState(id, { kind: 'uploading' })
    /** How much of it the server held before; undefined when it comes in one request. */
    let found: number | undefined
    try {
      const uploaded = await uploadInPieces({
        calls: calls.messages,
        file,
        filename: message.file.name,
        key: id,
        signal: joinSignals([signal, cancelling.signal]),
        closing: signal,
        now: context.now,
        onBegin: () => void begun.add(id),
        onProgress(share) {
          found ??= share
          // A line that breaks again and again is tried again soon, as long as it brings something.
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
      // It is over: from here on nothing listens to the signal of all uploads.
      cancelling.abort()
    }
  }

  async function judge(id: string, cause: unknown): Promise<number | undefined> {
    const words = cause instanceof Error ? cause.message : String(cause)
    const judgement = judgeFailure(cause)
    if (judgement === 'refused') {
      return await refuse(id, { words, code: cause instanceof ApiError ? cause.code : 'unknown' })
    }
    const isFromServer =
      cause instanceof ApiError && cause.status >= 400 && cause.code !== 'timeout'
    onState(id, { kind: 'waiting', ...(isFromServer && { words }) })
    if (isFromServer && !isBusy(cause)) pending.recordStuck(id)
    if (judgement === 'signed-out' && !isSignedIn()) {
      closing.abort(new Error('The sign-in has ended.'))
      onSignedOut()
      return undefined
    }
    if (!(cause instanceof ApiError)) onError(cause)
    return cause instanceof ApiError ? cause.retryAfterMs : 0
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
  ]
  look()
  return {
    /** There is a sign of life from outside: tries at once what waits to be tried again. */
    hurry,
    async close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
      closing.abort(new Error('Uploading has ended.'))
      await Promise.all([...lanes.values()].map(({ ended }) => ended))
    },
  }
}

/** It takes nothing of anybody now, or not so much: texts would fare no better. */
function isBusy({ status }: ApiError): boolean {
  return [401, 408, 425, 429, 503].includes(status)
}

/** What it is, the server has seen in its bytes. */
function addAddress(message: MessageDocument, uploaded: Uploaded): MessageDocument {
  if (!message.file || !isUploadOwed(message) || message.status !== 'sending') return message
  const { mediaUrl, type, mimeType, size } = uploaded
  return { ...message, mediaUrl, type, file: { ...message.file, mimeType, size } }
}
