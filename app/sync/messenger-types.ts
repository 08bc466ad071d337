import type { MessageDocument } from '../../schema/message.ts'
import type { PublicUser } from '../../schema/user.ts'
import type { OutgoingFile } from '../database/commands/send-file.ts'
import type { OutgoingMessage } from '../database/commands/send-message.ts'
import type { Drafts } from '../database/drafts/drafts.ts'
import type { VoiceDrafts } from '../database/files/voice-drafts.ts'
import type { IndexProgress, SearchPage } from '../database/search/search-index.ts'
import type { SearchRequest } from '../database/search/search-messages.ts'
import type { KnownPerson } from '../database/storage/known-person.ts'
import type { ConversationRow } from '../database/views/conversation-row.ts'
import type { LiveValue } from '../database/views/live-value.ts'
import type { ConversationView } from '../database/views/message-window.ts'
import type { SiftedView, SiftOptions } from '../database/views/sifted-window.ts'
import type { ReactionNews } from '../database/views/watch-reactions.ts'
import type { Files } from './files/files.ts'
import type { Presence } from './realtime/presence.ts'
import type { Requests } from './requests/requests.ts'
import type { Undo } from './undo.ts'

export type { ConversationRow, ConversationView, LiveValue, ReactionNews, SiftedView }

/** Each resolves when the change is stored on the device; replication carries it on. */
export interface MessengerCommands {
  sendMessage(message: OutgoingMessage): Promise<string>
  sendFile(file: OutgoingFile): Promise<string>
  editMessage(messageId: string, content: string): Promise<void>
  deleteMessage(messageId: string): Promise<void>
  retryMessage(messageId: string): Promise<void>
  discardMessage(messageId: string): Promise<void>
  setStarred(messageId: string, isStarred: boolean): Promise<void>
  /** In place of the reaction before; empty takes it back. */
  setReaction(messageId: string, emoji: string): Promise<void>
  dismissRefusal(messageId: string): Promise<void>
  /** All that has arrived, or what lies up to a place (`orderedAt`). */
  markRead(peerId: string, place?: number): Promise<void>
  setPinned(peerId: string, isPinned: boolean): Promise<void>
  setArchived(peerId: string, isArchived: boolean): Promise<void>
  setMuted(peerId: string, isMuted: boolean): Promise<void>
  clearConversation(peerId: string): Promise<void>
}

export interface Connection {
  state: 'starting' | 'live' | 'connecting' | 'offline' | 'signed-out' | 'trouble'
  /** Own changes that the server has not taken yet. */
  pendingCount: number
  /** Changes that the server has and this device has not: as many as they are, or a few more. */
  comingCount?: number
  /** Epoch ms. */
  lastSyncedAt?: number
  /** What is wrong and what to do, where there is trouble. */
  words?: string
}

export interface PeopleDirectory {
  /** What the device knows; asks the server for what it does not. */
  get(userId: string): LiveValue<KnownPerson | undefined>
  /** Without those whose account is gone. */
  list(): LiveValue<readonly PublicUser[]>
  /** Why the server did not answer for people the last time, in its words. */
  problem: LiveValue<string | undefined>
  /** Reads the record from the server. Rejects with words for a person. */
  load(userId: string): Promise<PublicUser>
  /** Asks the server: `list` has whom the device knows. Rejects with words for a person. */
  search(query: string): Promise<readonly PublicUser[]>
}

export interface MessageSearch {
  /** The messages of this device that hold every word by its beginning, newest first. */
  find(request: SearchRequest): Promise<SearchPage<MessageDocument>>
  /** How much of what is on the device can be found by now. */
  progress: LiveValue<IndexProgress>
  /** Opens the index and lets it follow the messages, so that the first search need not wait. */
  prepare(): void
}

/**
 * Everything the screens know of the data: one signed-in person on one device.
 * Asked twice for the same id, `get` gives the same live value.
 */
export interface Messenger {
  userId: string
  /** Pinned first, then the newest first; archived ones are among them. */
  conversations: LiveValue<readonly ConversationRow[]>
  users: PeopleDirectory
  openConversation(
    peerId: string,
    options?: { startsAtUnread: boolean; startsAtId?: string | undefined },
  ): ConversationView
  /** The wanted messages of a conversation, such as its pictures. To be closed by whoever asks. */
  sift(peerId: string, options: SiftOptions): Promise<SiftedView>
  commands: MessengerCommands
  /** What can be taken back for a moment after it was done. */
  undo: Undo
  /** One of any conversation, such as the quoted one; undefined while it is read, null if it is not on the device. */
  messages: { get(messageId: string): LiveValue<MessageDocument | null | undefined> }
  /** Calls back when the other person reacts to a message of one's own. @returns ends it */
  watchReactions(listener: (news: ReactionNews) => void): () => void
  /** When a customer last wrote over the business channel, as far as this device knows: epoch ms. */
  findLastInboundAt(peerId: string): Promise<number | undefined>
  /** The server's time as this device knows it, epoch ms. */
  now(): number
  search: MessageSearch
  drafts: Omit<Drafts, 'close' | 'recordLeaving' | 'recordSent'>
  /** Newest star first; undefined until they are read. */
  starred: LiveValue<readonly MessageDocument[] | undefined>
  presence: LiveValue<Presence>
  /** Says that a screen shows somebody, so that `presence` knows of them however many are online. @returns ends it */
  watchPerson(userId: string): () => void
  typing(peerId: string): void
  stopTyping(peerId: string): void
  connection: LiveValue<Connection>
  /** What is asked of the server and is not a document: profile, pictures, blocks, reports, forwards. */
  requests: Requests
  /** The files of messages. */
  files: Files
  /** What was recorded, and neither sent nor discarded. */
  openVoiceDrafts(): Promise<VoiceDrafts>
  /** How many changes of any kind the server has not taken: what would be lost by `erase`. */
  countUnsent(): Promise<number>
  /** Stops everything; what is on the device stays. */
  close(): Promise<void>
  /** Stops everything and takes this person's data off the device. */
  erase(): Promise<void>
}
