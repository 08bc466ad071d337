import { type Dispatch, type SetStateAction, useEffect, useState } from 'react'
import type { MessageDocument } from '../../schema/message.ts'
import type { Messenger } from '../sync/messenger.ts'
import { type LiveSource, useLiveValue } from '../ui/use-live-value.ts'
import type { WriteMode } from './write-mode.ts'

interface KeptReplyOptions {
  messenger: Messenger
  peerId: string
  mode: WriteMode
  setMode: Dispatch<SetStateAction<WriteMode>>
}

const nothing: LiveSource<MessageDocument | null | undefined> = {
  getSnapshot: () => undefined,
  subscribe: () => () => {},
}

/** Keeps the message that is being answered with the draft, and goes on with it in the next opening. */
export function useKeptReply({ messenger, peerId, mode, setMode }: KeptReplyOptions): void {
  const { drafts, messages } = messenger
  const [keptId, setKeptId] = useState(() => drafts.getReply(peerId))
  const kept = useLiveValue(keptId ? messages.get(keptId) : nothing)

  useEffect(() => {
    if (kept === undefined) return
    setKeptId(undefined)
    if (kept === null || kept.deletedAt !== undefined) return
    setMode((now) => (now.kind === 'new' ? { kind: 'reply', message: kept } : now))
  }, [kept, setMode])

  const isWaiting = keptId !== undefined
  useEffect(() => {
    if (mode.kind === 'reply') drafts.setReply(peerId, mode.message._id)
    // Until the kept one has been read, no reply means nothing.
    else if (mode.kind === 'new' && !isWaiting) drafts.setReply(peerId, undefined)
  }, [drafts, peerId, mode, isWaiting])
}
