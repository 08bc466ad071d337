import type { MessageDocument } from '../../../schema/message.ts'
import type { CommandContext } from '../../database/storage/command-context.ts'
import { subscribeToChanges } from '../../database/storage/subscribe-to-changes.ts'
import type { LiveValue } from '../../database/views/live-value.ts'
import { createRefresher } from '../../database/views/refresher.ts'
import type { Platform } from '../platform/platform.ts'
import type { RequestCalls } from '../requests/request-calls.ts'
import type { ChatFiles, ClearingOptions, FileCare } from './file-care.ts'
import { createPendingFiles } from './pending-files.ts'
import { createShownFiles } from './shown-files.ts'
import { createTabStates } from './tab-states.ts'
import type { UploadState, Uploads } from './uploads.ts'
import { createUploadsAgain } from './uploads-again.ts'

export interface FiledMessage extends Pick<MessageDocument, '_id' | 'mediaUrl'> {
  file?: { size: number } | undefined
}

/** The files of messages, on this device and on the way from and to the server. */
export interface Files {
  /** From this device; undefined when it is not there. */
  find(message: FiledMessage): Promise<Blob | undefined>
  /** From this device, else from the server, and then kept here. Rejects with words for a person. */
  load(message: FiledMessage): Promise<Blob>
  /** Has a person cleared the files of its chat since? Then it is fetched on request only. */
  wasCleared(message: Pick<MessageDocument, 'peerId' | 'orderedAt'>): Promise<boolean>
  /** How it stands with the files of own messages that a tab of this device uploads, by the message's id. */
  uploads: LiveValue<ReadonlyMap<string, UploadState>>
  /** Says that the file of a message is on the screen: it stays on the device meanwhile. @returns ends it */
  hold(message: FiledMessage): () => void
  /** What the files of each chat take on this device, what takes most first. */
  listUsage(): Promise<readonly ChatFiles[]>
  /** Takes files off this device, but unsent and starred ones. @returns bytes. Rejects with words for a person. */
  clear(options: ClearingOptions): Promise<number>
}

/** What comes in bursts is tidied up once. */
const tidyAfterMs = 2_000

/** The files of one tab; of several only the one whose turn it is uploads. */
export function createFiles(options: {
  context: CommandContext
  calls: Pick<RequestCalls, 'messages'>
  platform: Pick<Platform, 'page' | 'random' | 'estimate' | 'tab'>
  isSignedIn: () => boolean
  onSignedOut: () => void
  onError: (cause: unknown) => void
}) {
  const { context, onError } = options
  const pending = createPendingFiles(context.database.messages)
  const { tab } = options.platform
  const again = createUploadsAgain({ ...options, pending })
  const uploads = createTabStates(`petrel-uploads-${context.userId}${tab ? `-${tab.device}` : ''}`)
  const shown = createShownFiles()
  let access: Promise<Pick<Files, 'find' | 'load' | 'wasCleared'>> | undefined
  let caring: Promise<FileCare> | undefined
  let uploading: Uploads | undefined
  const tidying = createRefresher({
    run: async () => await (await openCare()).tidy(),
    onError,
    gatherMs: tidyAfterMs,
  })

  function openCare() {
    caring ??= import('./file-care.ts').then((module) =>
      module.createFileCare({ ...options, isShown: shown.has }),
    )
    caring.catch(() => {
      caring = undefined
    })
    return caring
  }

  /** The code that finds files is fetched with the first one. */
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

  /** A crash, or another device, may have left what was cleared: the turn begins with a look. */
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
    find: async (message) => await (await openAccess()).find(message),
    load: async (message) => await (await openAccess()).load(message),
    wasCleared: async (message) => await (await openAccess()).wasCleared(message),
    hold: shown.hold,
    listUsage: async () => await (await openCare()).listUsage(),
    clear: async (given) => await (await openCare()).clear(given),
  }
  return {
    files,
    pending,
    /** There is a sign of life from outside: tries at once what waits to be tried again. */
    hurry() {
      uploading?.hurry()
      again.hurry()
    },
    /** The turn to upload is this tab's; what it gives ends that. */
    begin(): () => Promise<void> {
      const ours: { uploads?: Uploads; isOver?: true } = {}
      // What the tab before has said of its uploads is over with its turn.
      uploads.set(new Map())
      /** The code that uploads is fetched when there is something to upload. */
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
