import type { MessageDocument } from '../../schema/message.ts'
import type { Drafts } from '../database/drafts/drafts.ts'
import type { VoiceDrafts } from '../database/files/voice-drafts.ts'
import type { IndexProgress, SearchPage } from '../database/search/search-index.ts'
import type { SearchRequest } from '../database/search/search-messages.ts'
import type { UnreadChat } from '../database/storage/inbox.ts'
import type { KnownPeer } from '../database/storage/known-peer.ts'
import type { ConversationRow } from '../database/views/conversation-row.ts'
import type { LiveValue } from '../database/views/live-value.ts'
import type { ConversationView } from '../database/views/message-window.ts'
import type { SiftedView, SiftOptions } from '../database/views/sifted-window.ts'
import type { ReactionNews } from '../database/views/watch-reactions.ts'
import type { Archive } from './archive/archive-format.ts'
import type { Files } from './files/files-types.ts'
import type { GroupDesk } from './groups/group-desk.ts'
import type { Groups } from './groups/own-groups.ts'
import type { OwnKeys } from './keys/own-keys.ts'
import type { MessengerCommands } from './messenger-commands.ts'
import type { OutboxCounts, OutboxView } from './outbox/outbox-types.ts'
import type { OwnSettings } from './own-settings.ts'
import type { EncryptionStates } from './people/encryption-states.ts'
import type { PeopleDirectory } from './people/people-directory.ts'
import type { Pictures } from './people/pictures.ts'
import type { SignIns } from './people/sign-ins.ts'
import type { SyncTrace } from './platform/sync-trace.ts'
import type { Presence } from './realtime/presence.ts'
import type { SetAsidePush } from './replication/set-aside.ts'
import type { Requests } from './requests/requests.ts'
import type { Undo } from './undo.ts'

export type {
  ConversationRow,
  ConversationView,
  LiveValue,
  PeopleDirectory,
  ReactionNews,
  SiftedView,
}

export interface Connection {
  /** `outdated`: the server no longer serves this version of the app; everything waits for the next. */
  state: 'starting' | 'live' | 'connecting' | 'offline' | 'outdated' | 'signed-out' | 'trouble'
  /** Own changes that the server has not accepted yet. */
  pendingCount: number
  /** The number of server changes that this device lacks, possibly slightly too high. */
  comingCount?: number
  /** Epoch ms; kept over a reload. */
  lastSyncedAt?: number
  /** Has the server answered since this page was opened? */
  hasSynced?: boolean
  /** On trouble: what is wrong and what to do. */
  words?: string
}

export interface MessageSearch {
  /** This device's messages that contain every word by its beginning, newest first. */
  find(request: SearchRequest): Promise<SearchPage<MessageDocument>>
  /** How much of the device's data is searchable by now. */
  progress: LiveValue<IndexProgress>
  /** Opens the index early, so that the first search need not wait. */
  prepare(): void
}

/**
 * All data that the screens use: one signed-in person on one device.
 * For the same id `get` returns the same live value.
 */
export interface Messenger {
  userId: string
  /** Pinned first, then newest first; includes archived ones. */
  conversations: LiveValue<readonly ConversationRow[]>
  /** All of `conversations` have their messages: of a long list those on top have them first. */
  conversationsRead: Promise<void>
  users: PeopleDirectory
  /** Whoever a conversation is with: a person as `users` knows them, or a group. */
  peers: { get(peerId: string): LiveValue<KnownPeer | undefined> }
  groups: Groups
  groupDesk: GroupDesk
  pictures: Pictures
  /** The ids of the people this person blocks, with what still waits to be sent. */
  blocked: LiveValue<readonly string[]>
  signIns: SignIns
  openConversation(
    peerId: string,
    options?: { startsAtUnread: boolean; startsAtId?: string | undefined },
  ): ConversationView
  /** A conversation's matching messages, such as its pictures. The caller closes it. */
  sift(peerId: string, options: SiftOptions): Promise<SiftedView>
  commands: MessengerCommands
  /** Actions that can be undone for a moment. */
  undo: Undo
  /**
   * A message of any conversation, such as a quoted one; undefined while loading, null when not on
   * the device.
   */
  messages: { get(messageId: string): LiveValue<MessageDocument | null | undefined> }
  /**
   * Calls back when somebody else reacts to an own message.
   * @returns the unsubscribe function
   */
  watchReactions(listener: (news: ReactionNews) => void): () => void
  /** Carries out what the person did in notifications; resolves once the device has stored it. */
  takeCommands(): Promise<void>
  /** Tells the service worker what the app's badge shows. */
  recordUnread(chats: readonly UnreadChat[]): Promise<void>
  /**
   * When a customer last wrote over the business channel, as far as this device knows: epoch ms.
   */
  findLastInboundAt(peerId: string): Promise<number | undefined>
  /** The server's time as this device knows it, epoch ms. */
  now(): number
  search: MessageSearch
  drafts: Omit<Drafts, 'close' | 'recordLeaving' | 'recordSent'>
  /** Newest star first; undefined until loaded. */
  starred: LiveValue<readonly MessageDocument[] | undefined>
  /** Whether only the two people of a chat can read it. */
  encryption: EncryptionStates
  presence: LiveValue<Presence>
  /**
   * Announces that a screen shows a person, so that `presence` covers them however many are online.
   * @returns ends it
   */
  watchPerson(userId: string): () => void
  typing(peerId: string): void
  stopTyping(peerId: string): void
  connection: LiveValue<Connection>
  /** What this tab's sync has done lately, without a word, a name or a whole id. */
  readTrace(): SyncTrace
  /**
   * What the network or the server keeps refusing while it lets others pass, by the document's id:
   * offered again later.
   */
  setAside: LiveValue<ReadonlyMap<string, SetAsidePush>>
  /** How much waits, and how much was refused. */
  outbox: LiveValue<OutboxCounts>
  /** All of that, for a screen. The caller closes it. */
  openOutbox(): Promise<OutboxView>
  /** Tries everything that waits, now. */
  sendNow(): void
  /** Server requests that are not documents: profile, pictures, blocks, reports, forwards. */
  requests: Requests
  /** What this person has set, on all devices. */
  settings: OwnSettings
  /** The person's own keys on this device. */
  keys: LiveValue<OwnKeys>
  /** The number of the newest keys on this device, after a look at what is stored now. */
  readKeyNumber(): Promise<number | undefined>
  /** Message files. */
  files: Files
  /** Everything of this person on this device, as one file. */
  archive: Archive
  /** Recordings neither sent nor discarded. */
  openVoiceDrafts(): Promise<VoiceDrafts>
  /** The number of changes of any kind not accepted by the server: what `erase` would lose. */
  countUnsent(): Promise<number>
  /** Stops everything; the device keeps its data. */
  close(): Promise<void>
  /** Stops everything and deletes this person's data from the device. */
  erase(): Promise<void>
}
