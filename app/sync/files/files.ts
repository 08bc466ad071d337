import * as z from 'zod/mini'
import type { MessageDocument } from '../../../schema/message.ts'
import type { LedgerEntry } from '../../database/files/file-ledger.ts'
import { type CommandContext, subscribeToChanges } from '../../database/storage/collections.ts'
import { subscribeToTable } from '../../database/storage/open-device-store.ts'
import { createLiveValue } from '../../database/views/live-value.ts'
import { createRefresher } from '../../database/views/refresher.ts'
import { createBackOff } from '../platform/back-off.ts'
import type { Platform } from '../platform/platform.ts'
import { createTabStates } from '../platform/tab-states.ts'
import type { RequestCalls } from '../requests/request-calls.ts'
import type { FileCare } from './file-care.ts'
import { createFileKeeping, type FiledMessage, type Files } from './files-types.ts'
import { createPendingFiles, type PendingFiles } from './pending-files.ts'
import { findUnseenEpoch } from './put-back-files.ts'
import type { UploadState, Uploads } from './uploads.ts'

/** Batches bursts into one cleanup. */
const tidyAfterMs = 2_000

const uploadState = z.union([
  z.object({
    kind: z.literal('waiting'),
    words: z.optional(z.string()),
    isPassed: z.optional(z.literal(true)),
  }),
  z.object({ kind: z.literal('uploading'), share: z.optional(z.number()) }),
])

/** One tab's files; only the leader uploads. */
export function createFiles(options: {
  context: CommandContext
  calls: Pick<RequestCalls, 'messages' | 'own'>
  platform: Pick<Platform, 'page' | 'random' | 'estimate' | 'tab' | 'texts'>
  /** Reads a person's record, with their keys, from the server. */
  askPerson: (userId: string) => Promise<unknown>
  isSignedIn: () => boolean
  onSignedOut: () => void
  onError: (cause: unknown) => void
}) {
  const { context, onError } = options
  const pending = createPendingFiles(context.database.messages)
  const { tab } = options.platform
  const again = createUploadsAgain({ ...options, pending })
  const uploads = createTabStates<UploadState>({
    name: `petrel-uploads-${context.userId}${tab ? `-${tab.device}` : ''}`,
    state: uploadState as z.ZodMiniType<UploadState>,
  })
  const shown = createShownFiles()
  let access: Promise<Pick<Files, 'find' | 'load' | 'wasCleared'>> | undefined
  let caring: Promise<FileCare> | undefined
  let uploading: Uploads | undefined
  const tidied = createLiveValue(0)
  const tidying = createRefresher({
    async run() {
      await (await openCare()).tidy()
      tidied.set(tidied.getSnapshot() + 1)
    },
    onError,
    gatherMs: tidyAfterMs,
  })

  const kept = createFileKeeping({
    texts: options.platform.texts,
    userId: context.userId,
    onChosen: () => void tidying.refresh(),
  })

  function openCare() {
    caring ??= import('./file-care.ts').then((module) =>
      module.createFileCare({ ...options, isShown: shown.has, readKeeping: kept.read }),
    )
    caring.catch(() => {
      caring = undefined
    })
    return caring
  }

  /** The first access loads the code that finds files. */
  function openAccess() {
    access ??= import('./file-access.ts').then((module) =>
      module.createFileAccess({
        ...options,
        async onUsed(message, file) {
          await (await openCare()).touch(message, file.size)
        },
        onKept: () => void tidying.refresh(),
      }),
    )
    access.catch(() => {
      access = undefined
    })
    return access
  }

  /** A crash, or another device, may have left cleared files: leading starts with a check. */
  function beginTidying() {
    const tidy = () => void tidying.refresh()
    const cleared = new Map<string, number>()
    const stops = [
      pending.subscribe(tidy),
      subscribeToChanges(context.database.messages, ({ documents }) => {
        const isFileGone = ({ type, deletedAt }: MessageDocument) =>
          type !== 'text' && deletedAt !== undefined
        if (documents.some(isFileGone)) tidy()
      }),
      subscribeToChanges(context.database.conversations, ({ documents }) => {
        const raised = documents.filter(
          ({ _id, clearedUpTo }) => clearedUpTo > (cleared.get(_id) ?? 0),
        )
        for (const { _id, clearedUpTo } of raised) cleared.set(_id, clearedUpTo)
        if (raised.length > 0) tidy()
      }),
    ]
    tidy()
    return () => {
      for (const stop of stops) stop()
    }
  }

  const files: Files = {
    uploads,
    keeping: kept.keeping,
    tidied,
    find: async (message) => await (await openAccess()).find(message),
    load: (message) =>
      shown.recordLoading(
        message,
        openAccess().then((access) => access.load(message)),
      ),
    onLoading: shown.onLoading,
    wasCleared: async (message) => await (await openAccess()).wasCleared(message),
    hold: shown.hold,
    listUsage: async () => await (await openCare()).listUsage(),
    clear: async (given) => await (await openCare()).clear(given),
  }
  return {
    files,
    pending,
    /** An external sign of life: retries immediately. */
    hurry() {
      uploading?.hurry()
      again.hurry()
    },
    nextTryInMs: (peerId: string) => uploading?.nextTryInMs(peerId),
    /** This tab begins to lead: it uploads. The returned function ends it. */
    begin(): () => Promise<void> {
      const ours: { uploads?: Uploads; isOver?: true } = {}
      // That also ends the previous tab's reports of its uploads.
      uploads.set(new Map())
      /** Loads the upload code when there is something to upload. */
      async function wake() {
        if (ours.uploads || pending.listOwed().length === 0) return
        const { createUploads } = await import('./uploads.ts')
        if (ours.isOver || ours.uploads) return
        ours.uploads = createUploads({ ...options, pending, states: uploads })
        uploading = ours.uploads
      }
      const look = () => void wake().catch(onError)
      const stop = pending.subscribe(look)
      pending.ready().then(look, onError)
      const stopTidying = beginTidying()
      const stopAgain = again.begin()
      return async () => {
        ours.isOver = true
        stop()
        stopTidying()
        await stopAgain()
        await ours.uploads?.close()
        uploads.leave()
      }
    },
    close() {
      tidying.close()
      pending.close()
      uploads.close()
    },
  }
}

/** The files on this tab's screen, by message and by address. */
function createShownFiles() {
  const holds = new Map<string, number>()
  const listeners = new Map<string, Set<(file: Promise<Blob>) => void>>()
  const loading = new Map<string, Promise<Blob>>()
  const addressOf = ({ _id, mediaUrl }: FiledMessage) => mediaUrl ?? _id
  const change = (keys: readonly string[], by: number) => {
    for (const key of keys) {
      const count = (holds.get(key) ?? 0) + by
      if (count > 0) holds.set(key, count)
      else holds.delete(key)
    }
  }
  return {
    hold({ _id, mediaUrl }: FiledMessage): () => void {
      const keys = [_id, ...(mediaUrl === undefined ? [] : [mediaUrl])]
      change(keys, 1)
      return () => change(keys, -1)
    },
    onLoading(message: FiledMessage, listener: (file: Promise<Blob>) => void): () => void {
      const address = addressOf(message)
      const own = listeners.get(address) ?? new Set()
      listeners.set(address, own.add(listener))
      const running = loading.get(address)
      if (running !== undefined) listener(running)
      return () => {
        own.delete(listener)
        if (own.size === 0 && listeners.get(address) === own) listeners.delete(address)
      }
    },
    recordLoading(message: FiledMessage, file: Promise<Blob>): Promise<Blob> {
      const address = addressOf(message)
      const end = () => {
        if (loading.get(address) === file) loading.delete(address)
      }
      loading.set(address, file)
      file.then(end, end)
      for (const listener of [...(listeners.get(address) ?? [])]) listener(file)
      return file
    },
    has: ({ messageId, mediaUrl }: Pick<LedgerEntry, 'messageId' | 'mediaUrl'>): boolean =>
      holds.has(messageId) || (mediaUrl !== undefined && holds.has(mediaUrl)),
  }
}

/**
 * Uploads again, unprompted, files that the server lost and this device still holds. Stored data
 * says what is owed (P11): the epoch of the last comparison, and messages refused for their files.
 */
function createUploadsAgain(options: {
  context: CommandContext
  calls: Pick<RequestCalls, 'messages'>
  pending: PendingFiles
  platform: Pick<Platform, 'page' | 'random'>
  onError: (cause: unknown) => void
}) {
  const { context, calls, pending, platform, onError } = options
  const { device } = context.database
  const backOff = createBackOff({ random: platform.random })

  const looking = new Set<string>()

  /** Until that is over, later messages wait. */
  async function sendLost() {
    const lost = pending.listLost().map(({ _id }) => _id)
    const ids = lost.filter((id) => !looking.has(id))
    if (ids.length === 0) return
    for (const id of ids) looking.add(id)
    const sending = import('./send-lost-again.ts').then((again) =>
      again.sendLostAgain(context, ids),
    )
    await sending.finally(() => pending.recordLookedAt(ids))
  }

  return {
    /** An external sign of life: retries immediately. */
    hurry: () => backOff.hurry(),
    /** This tab begins to lead; the returned function ends it. */
    begin(): () => Promise<void> {
      const closing = new AbortController()
      const { signal } = closing
      const fail = (cause: unknown) => {
        if (!signal.aborted) onError(cause)
      }
      let puttingBack: Promise<void> | undefined
      async function putBack() {
        const { putBackFiles } = await import('./put-back-files.ts')
        if (!signal.aborted) await putBackFiles({ context, calls, backOff, signal, onError })
      }
      const stops = [
        subscribeToTable(device.epochs, {
          onRows(rows) {
            if (puttingBack || findUnseenEpoch(rows) === undefined) return
            puttingBack = putBack()
              .catch(fail)
              .finally(() => {
                puttingBack = undefined
              })
          },
          onError,
        }),
        pending.subscribe(() => void sendLost().catch(fail)),
        platform.page.subscribe((event) => {
          if (event === 'online' || event === 'front') backOff.hurry()
        }),
      ]
      pending.ready().then(sendLost).catch(fail)
      return async () => {
        for (const stop of stops) stop()
        closing.abort(new Error('Uploading has ended.'))
        await puttingBack
      }
    },
  }
}
