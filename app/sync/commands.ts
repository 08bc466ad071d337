import { v7 as createId } from 'uuid'
import {
  clearConversation,
  setConversationFlag,
  setMuted,
} from '../database/commands/change-conversation.ts'
import {
  deleteMessage,
  discardMessage,
  dismissRefusal,
  editMessage,
  retryMessage,
  setHidden,
  setReaction,
  setStarred,
} from '../database/commands/change-message.ts'
import { markRead } from '../database/commands/mark-read.ts'
import { sendFile } from '../database/commands/send-file.ts'
import { sendMessage } from '../database/commands/send-message.ts'
import type { Drafts } from '../database/drafts/drafts.ts'
import type { CommandContext } from '../database/storage/collections.ts'
import type { MessengerCommands } from './messenger-commands.ts'

/** What a person can do. Each resolves once the device has stored it; replication sends it. */
export function createCommands(options: {
  context: CommandContext
  drafts: Pick<Drafts, 'recordLeaving' | 'recordSent'>
  typing: { stopTyping(peerId: string): void }
}): MessengerCommands {
  const { context, drafts, typing } = options
  return {
    async sendMessage({ keepsDraft, ...outgoing }) {
      const { peerId } = outgoing
      const leaving = { peerId, messageId: createId(), content: outgoing.content.trim() }
      const note = keepsDraft ? undefined : drafts.recordLeaving(leaving)
      const id = await sendMessage(context, { ...outgoing, id: leaving.messageId, note })
      // Not a moment earlier: until the message is stored, the draft is its only copy (P1).
      if (!keepsDraft) drafts.recordSent(leaving)
      typing.stopTyping(peerId)
      return id
    },
    sendFile: (file) => sendFile(context, file),
    editMessage: (messageId, content) => editMessage(context, { messageId, content }),
    deleteMessage: (messageId) => deleteMessage(context, messageId),
    retryMessage: (messageId) => retryMessage(context, messageId),
    discardMessage: (messageId) => discardMessage(context, messageId),
    setStarred: (messageId, isStarred) => setStarred(context, { messageId, isStarred }),
    setHidden: (messageId, isHidden) => setHidden(context, { messageId, isHidden }),
    setReaction: (messageId, emoji) => setReaction(context, { messageId, emoji }),
    dismissRefusal: (messageId) => dismissRefusal(context, messageId),
    markRead: (peerId, place) => markRead(context, { peerId, place }),
    setPinned: (peerId, isSet) => setConversationFlag(context, { peerId, flag: 'isPinned', isSet }),
    setArchived: (peerId, isSet) =>
      setConversationFlag(context, { peerId, flag: 'isArchived', isSet }),
    setMuted: (peerId, isMuted, until) => setMuted(context, { peerId, isMuted, until }),
    clearConversation: (peerId) => clearConversation(context, peerId),
  }
}
