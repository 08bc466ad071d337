import { type Dispatch, type SetStateAction, useEffect, useState } from 'react'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { type LiveSource, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import type { WriteMode } from './composer-tools.ts'

interface KeptModeOptions {
  messenger: Messenger
  peerId: string
  mode: WriteMode
  setMode: Dispatch<SetStateAction<WriteMode>>
}

const nothing: LiveSource<MessageDocument | null | undefined> = {
  getSnapshot: () => undefined,
  subscribe: () => () => {},
}

/**
 * Stores with the draft the message being replied to or edited, and restores it when the chat opens
 * again.
 */
export function useKeptMode({ messenger, peerId, mode, setMode }: KeptModeOptions): void {
  const { drafts, messages } = messenger
  const [kept, setKept] = useState(() => readKept(drafts.begin(peerId)))
  const message = useLiveValue(kept ? messages.get(kept.messageId) : nothing)

  useEffect(() => {
    if (kept === undefined || message === undefined) return
    setKept(undefined)
    const begun = message && toMode(message, kept.text)
    if (begun) setMode((now) => (now.kind === 'new' ? begun : now))
  }, [kept, message, setMode])

  const isWaiting = kept !== undefined
  useEffect(() => {
    // The stored mode is not read yet: 'no reply' would erase it.
    if (isWaiting) return
    if (mode.kind !== 'edit') drafts.setEdit(peerId, undefined)
    if (mode.kind === 'reply') drafts.setReply(peerId, mode.message._id)
    else if (mode.kind === 'new') drafts.setReply(peerId, undefined)
  }, [drafts, peerId, mode, isWaiting])
}

interface Kept {
  messageId: string
  /** The text of an edit. */
  text?: string
}

function readKept({ edit, replyTo }: ReturnType<Messenger['drafts']['begin']>): Kept | undefined {
  return edit ?? (replyTo === undefined ? undefined : { messageId: replyTo })
}

/**
 * Undefined for an obsolete mode: a reply to a deleted message, or an edit saved right before the
 * page closed.
 */
function toMode(message: MessageDocument, text: string | undefined): WriteMode | undefined {
  if (text === undefined) {
    return message.deletedAt === undefined ? { kind: 'reply', message } : undefined
  }
  return text.trim() === message.content ? undefined : { kind: 'edit', message, text }
}
