import type { MessageDocument } from '../../../schema/message.ts'
import type { CommandContext } from '../../database/commands/command-context.ts'
import { createLiveValue, type LiveValue } from '../../database/live-value.ts'
import type { Powers } from '../powers.ts'
import type { RequestCalls } from '../requests/request-calls.ts'
import type { UploadState, Uploads } from './create-uploads.ts'
import { createPendingFiles } from './pending-files.ts'

export interface FiledMessage extends Pick<MessageDocument, '_id' | 'mediaUrl'> {
  file?: { size: number } | undefined
}

/** The files of messages, on this device and on the way from and to the server. */
export interface Files {
  /** From this device; undefined when it is not there. */
  find(message: FiledMessage): Promise<Blob | undefined>
  /** From this device, else from the server, and then kept here. Rejects with words for a person. */
  load(message: FiledMessage): Promise<Blob>
  /** How it stands with the files of own messages that this tab uploads, by the message's id. */
  uploads: LiveValue<ReadonlyMap<string, UploadState>>
}

/** The files of one tab; of several only the one whose turn it is uploads. */
export function createFiles(options: {
  context: CommandContext
  calls: Pick<RequestCalls, 'messages'>
  powers: Pick<Powers, 'page' | 'random'>
  isSignedIn: () => boolean
  onSignedOut: () => void
  onError: (cause: unknown) => void
}) {
  const { context, onError } = options
  const pending = createPendingFiles(context.database.messages)
  const uploads = createLiveValue<ReadonlyMap<string, UploadState>>(new Map())
  let access: Promise<Pick<Files, 'find' | 'load'>> | undefined
  let uploading: Uploads | undefined

  /** The code that finds files is fetched with the first one. */
  function openAccess() {
    access ??= import('./file-access.ts').then((module) => module.createFileAccess(options))
    access.catch(() => {
      access = undefined
    })
    return access
  }

  const files: Files = {
    uploads,
    find: async (message) => await (await openAccess()).find(message),
    load: async (message) => await (await openAccess()).load(message),
  }
  return {
    files,
    pending,
    /** There is a sign of life from outside: tries at once what waits to be tried again. */
    hurry: () => uploading?.hurry(),
    /** The turn to upload is this tab's; what it gives ends that. */
    begin(): () => Promise<void> {
      const ours: { uploads?: Uploads; isOver?: true } = {}
      /** The code that uploads is fetched when there is something to upload. */
      async function wake() {
        if (ours.uploads || pending.listOwed().length === 0) return
        const { createUploads } = await import('./create-uploads.ts')
        if (ours.isOver || ours.uploads) return
        ours.uploads = createUploads({ ...options, pending, states: uploads })
        uploading = ours.uploads
      }
      const look = () => void wake().catch(onError)
      const stop = pending.subscribe(look)
      pending.ready().then(look, onError)
      return async () => {
        ours.isOver = true
        stop()
        await ours.uploads?.close()
      }
    },
    close: pending.close,
  }
}
