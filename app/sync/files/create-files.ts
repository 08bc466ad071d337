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
  const { context, calls, powers, onError } = options
  const pending = createPendingFiles({ messages: context.database.messages, onError })
  const uploads = createLiveValue<ReadonlyMap<string, UploadState>>(new Map())
  let access: Promise<Pick<Files, 'find' | 'load'>> | undefined
  const turn: { current?: { uploads?: Uploads; isOver: boolean } } = {}

  /** The code that uploads is fetched when there is something to upload. */
  async function wake() {
    const ours = turn.current
    if (!ours || ours.uploads || pending.listOwed().length === 0) return
    const { createUploads } = await import('./create-uploads.ts')
    if (ours.isOver || ours.uploads) return
    const { isSignedIn, onSignedOut } = options
    ours.uploads = createUploads({
      ...{ pending, calls, context, isSignedIn, onSignedOut, onState, onError },
      random: powers.random,
    })
  }

  function onState(messageId: string, state: UploadState | undefined) {
    const next = new Map(uploads.getSnapshot())
    if (state) next.set(messageId, state)
    else next.delete(messageId)
    uploads.set(next)
  }

  function hurry() {
    turn.current?.uploads?.hurry()
    wake().catch(onError)
  }

  /** The code that finds files is fetched with the first one. */
  function openAccess() {
    access ??= import('./file-access.ts').then((module) => module.createFileAccess(options))
    access.catch(() => {
      access = undefined
    })
    return access
  }

  const unsubscribes = [
    pending.subscribe(() => void wake().catch(onError)),
    powers.page.subscribe((event) => {
      if (event === 'online' || event === 'front') hurry()
    }),
  ]
  const files: Files = {
    uploads,
    find: async (message) => await (await openAccess()).find(message),
    load: async (message) => await (await openAccess()).load(message),
  }
  return {
    files,
    pending,
    hurry,
    /** The turn to upload is this tab's; what it gives ends that. */
    begin(): () => Promise<void> {
      const ours: { uploads?: Uploads; isOver: boolean } = { isOver: false }
      turn.current = ours
      pending.ready.then(wake).catch(onError)
      return async () => {
        ours.isOver = true
        if (turn.current === ours) delete turn.current
        await ours.uploads?.close()
      }
    },
    close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
      pending.close()
    },
  }
}
