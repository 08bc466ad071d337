import type { OutgoingFile } from '../database/commands/send-file.ts'
import type { OutgoingMessage } from '../database/commands/send-message.ts'

/** Each resolves once the device has stored the change; replication sends it. */
export interface MessengerCommands {
  sendMessage(message: OutgoingMessage): Promise<string>
  sendFile(file: OutgoingFile): Promise<string>
  editMessage(messageId: string, content: string): Promise<void>
  deleteMessage(messageId: string): Promise<void>
  retryMessage(messageId: string): Promise<void>
  discardMessage(messageId: string): Promise<boolean>
  setStarred(messageId: string, isStarred: boolean): Promise<void>
  /** Deletes it for this person alone, or brings it back. */
  setHidden(messageId: string, isHidden: boolean): Promise<void>
  /** Replaces the previous reaction; empty removes it. */
  setReaction(messageId: string, emoji: string): Promise<void>
  dismissRefusal(messageId: string): Promise<void>
  /** Everything that has arrived, or up to a place (`orderedAt`). */
  markRead(peerId: string, place?: number): Promise<void>
  setPinned(peerId: string, isPinned: boolean): Promise<void>
  setArchived(peerId: string, isArchived: boolean): Promise<void>
  /** @param until when it ends, epoch ms; without it, never */
  setMuted(peerId: string, isMuted: boolean, until?: number): Promise<void>
  clearConversation(peerId: string): Promise<void>
}
