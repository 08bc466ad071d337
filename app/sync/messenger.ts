import { v7 as createId } from 'uuid'
import { createDeferred } from '../../schema/helpers/deferred.ts'
import type { TimedSettings } from '../../schema/settings.ts'
import { publicUser } from '../../schema/user.ts'
import {
  clearConversation,
  findClearPlace,
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
import type { VoiceDrafts } from '../database/files/voice-drafts.ts'
import { createClock } from '../database/storage/clock.ts'
import { type CommandContext, subscribeToChanges } from '../database/storage/collections.ts'
import { findLastInboundAt } from '../database/storage/find-newest-message.ts'
import type { Inbox } from '../database/storage/inbox.ts'
import type { PetrelDatabase } from '../database/storage/open-database.ts'
import type { DeviceStore } from '../database/storage/open-device-store.ts'
import type { PeopleStore } from '../database/storage/people-store.ts'
import { readDocuments } from '../database/storage/read-documents.ts'
import { pendingTally } from '../database/storage/stored-message.ts'
import type { createConversationList } from '../database/views/conversation-list.ts'
import type { LiveValue } from '../database/views/live-value.ts'
import { createMessageValues } from '../database/views/message-values.ts'
import { createMessageWindow } from '../database/views/message-window.ts'
import { createStarred } from '../database/views/starred.ts'
import { watchReactions } from '../database/views/watch-reactions.ts'
import type { Archive } from './archive/archive-format.ts'
import { createConnection } from './connection.ts'
import { openDeviceData } from './device-data.ts'
import { createFiles } from './files/files.ts'
import { createGroupDesk, type GroupDeskCalls } from './groups/group-desk.ts'
import { createGroups } from './groups/own-groups.ts'
import { takeCommands } from './inbox/take-commands.ts'
import { createOwnKeys } from './keys/own-keys.ts'
import { createLeadership } from './leadership.ts'
import { createMessageSearch } from './message-search.ts'
import type { MessengerCommands } from './messenger-commands.ts'
import type { Messenger } from './messenger-types.ts'
import { createOutbox } from './outbox.ts'
import { createEncryptionStates } from './people/encryption-states.ts'
import type { PeopleSource } from './people/known-people.ts'
import { createPeople } from './people.ts'
import { lastSyncedKey } from './platform/own-texts.ts'
import type { Platform } from './platform/platform.ts'
import { createSyncTrace } from './platform/sync-trace.ts'
import { createRealtime } from './realtime.ts'
import { reopenMessages } from './reopen-messages.ts'
import type { SyncOptions } from './replication/sync.ts'
import type { RequestCalls } from './requests/request-calls.ts'
import { createRequests } from './requests/requests.ts'
import { returnArchived } from './return-archived.ts'
import { createUndo } from './undo.ts'
import { createMask, type Withheld } from './withheld.ts'

export interface MessengerOptions {
  userId: string
  /** The server's origin, such as `https://chat.example`, without a trailing slash. */
  serverUrl: string
  /** Read for every request; undefined once the person has signed out. */
  readToken: () => string | undefined
  people: PeopleSource
  /** The calls for the request queue, which waits while there is no network. */
  calls: RequestCalls & { groups: GroupDeskCalls }
  platform: Platform
  /** Does the server have groups? As it last said; without it, no. */
  hasGroups?: () => boolean
  /** The person's settings as the sign-in has them. */
  knownSettings?: Partial<TimedSettings> | undefined
  /**
   * The server rejected this sign-in. The device keeps its data, and sends it after the next one.
   */
  onSignedOut: () => void
  /** Background errors that the person need not see. */
  onError?: (cause: unknown) => void
  /** The patience with slow lines; tests use less. */
  line?: SyncOptions['line']
}

/**
 * Opens a person's data on this device and syncs it whenever the server is reachable.
 * Screens read from the device: it resolves once the list is readable, with or without a network.
 *
 * @throws when the device's database cannot be opened.
 */
export async function createMessenger(options: MessengerOptions): Promise<Messenger> {
  const { userId, serverUrl, readToken, calls } = options
  const trace = createSyncTrace(options.platform)
  const { platform } = trace
  const { page, texts, indexedDB, IDBKeyRange } = platform
  const onError = options.onError ?? (() => {})
  const clock = createClock({ now: platform.now, texts })
  const { now } = clock
  const data = await openDeviceData({
    userId,
    platform,
    now,
    source: options.people,
    calls,
    findQueue: () => queue,
    knownSettings: options.knownSettings,
    onError,
  })
  const { database, slot, inbox, list, drafts, ownSettings } = data
  const { conversations } = list
  const context = { userId, database, now }
  const search = createMessageSearch({ database, indexedDB, IDBKeyRange, onError })

  const connection = createConnection({
    messages: database.messages,
    page,
    now,
    onError,
    lastSynced: { texts, key: lastSyncedKey(userId) },
  })
  const stopTracing = [
    trace.close,
    connection.connection.subscribe(() =>
      trace.recordState(connection.connection.getSnapshot().state),
    ),
    subscribeToChanges(database.messages, ({ documents }) =>
      trace.recordStored(
        documents.map(({ _id, tally }) => ({ _id, isWaiting: tally === pendingTally })),
      ),
    ),
  ]
  function signOutHere() {
    connection.setOutcome('signed-out')
    options.onSignedOut()
  }
  const sending = {
    context,
    platform,
    onError,
    calls: recordTaken(calls, {
      onBlock: (change) => people.blocked.record(change),
      recordGroups: (groups) => groupDesk.record(groups),
    }),
    // A call that got 401 has removed its sign-in: a present one is newer.
    isSignedIn: () => readToken() !== undefined,
    onSignedOut: signOutHere,
  }
  const queue = createRequests({
    ...sending,
    reach: connection,
    onSettings: (sent, answer) => ownSettings.takeAnswer(sent, answer),
  })
  ownSettings.resume().catch(onError)
  const groups = createGroups({
    userId,
    database,
    requests: queue.requests,
    isOn: options.hasGroups ?? (() => false),
    now,
    onError,
  })
  const groupDesk = createGroupDesk({
    calls: calls.groups,
    table: data.about.answers,
    queue: queue.requests,
    now,
    onError,
  })
  const files = createFiles({ ...sending, askPerson: data.known.load })
  const people = createPeople({
    userId,
    known: data.known,
    pictures: data.pictures,
    about: data.about,
    conversations,
    connection: connection.connection,
    requests: queue.requests,
    source: options.people,
    groups,
    calls,
    platform,
    now,
    isLeader: () => leadership.isLeader(),
    onError,
  })

  const opened = createDeferred<void>()
  const untilDrawn = opened.promise.then(platform.untilIdle)
  const reaching = {
    platform,
    untilDrawn,
    serverUrl,
    readToken,
    line: options.line,
    onSignedOut: signOutHere,
    onError,
  }
  const realtime = createRealtime({
    ...reaching,
    userId,
    listeners: {
      presence: people.presence,
      blocked: people.blocked,
      settings: ownSettings,
      expectMessage: (messageId) => leadership.expectMessage(messageId),
      lookAtGroups(told) {
        leadership.lookAtGroups(told)
        groupDesk.hint()
      },
    },
    onUp() {
      connection.setSocketUp(true)
      ownSettings.setLineUp(true)
      // Told from now on: what came before is asked for.
      if (leadership.isLeader()) people.blocked.refresh()
      leadership.hurry()
      if (groups.isOn()) leadership.lookAtGroups()
    },
    onDown(why) {
      // A person with too many tabs is online all the same: the server itself has said so.
      connection.setSocketUp(why === 'displaced')
      ownSettings.setLineUp(false)
    },
    onOutdated: connection.setOutdated,
  })
  const leadership = createLeadership({
    ...reaching,
    userId,
    database,
    clock,
    inbox,
    feed: realtime.feed,
    fetch: realtime.fetch,
    pendingFiles: files.pending,
    groups,
    askPerson: data.known.load,
    queues: [queue, files],
    connection,
    onLeaderChange(isLeader) {
      ownSettings.setLeader(isLeader)
      if (isLeader) people.refresh()
    },
    onUnreachable: realtime.doubt,
  })

  const commands = createCommands({ context, drafts, typing: realtime })
  const undo = await createUndo({
    table: database.device.withheld,
    slot,
    commands,
    page,
    now: platform.now,
    onError,
    findClearPlace: (peerId) => findClearPlace(context, peerId),
    apply: (change) =>
      change.kind === 'delete'
        ? commands.deleteMessage(change.messageId)
        : clearConversation(context, change.peerId, change.upTo),
    requests: queue.requests,
  })
  const stopReturning = returnArchived({
    conversations,
    settings: ownSettings.settings,
    userId,
    findArchivedAt: async (peerId) =>
      (await readDocuments(database.conversations, [peerId])).get(peerId)?.isArchivedAt ?? 0,
    unarchive: (peerId) => commands.setArchived(peerId, false),
    onError,
  })
  const { withheld } = undo
  const ownKeys = createOwnKeys({ database, onError })
  const screens = createScreenViews({ database, list, withheld, onError })
  const outbox = createOutbox({
    context,
    queue,
    files,
    leadership,
    withheld,
    connection: connection.connection,
    onError,
  })
  const encryption = createEncryptionStates({ userId, database, settings: ownSettings.settings })
  const stopReopening = reopenMessages({ database, platform, askPerson: data.known.load, onError })
  const commandTaker = createCommandTaker({ inbox, context, list: conversations, onError })
  void untilDrawn.then(commandTaker.take)

  async function stop() {
    await undo.close()
    await commandTaker.close()
    people.close()
    for (const stopOne of stopTracing) stopOne()
    stopReturning()
    stopReopening()
    encryption.close()
    const turnEnded = leadership.close()
    realtime.close()
    for (const part of [
      connection,
      outbox,
      screens,
      groups,
      groupDesk,
      queue,
      ownSettings,
      ownKeys,
      files,
    ])
      part.close()
    await Promise.all([turnEnded, drafts.close(), search.close()])
    slot.release()
  }

  async function close() {
    await stop()
    await data.close()
  }

  async function erase() {
    await search.erase()
    await data.erase()
  }

  let voiceDrafts: Promise<VoiceDrafts> | undefined
  let closing: Promise<void> | undefined
  opened.resolve()
  return {
    userId,
    ...screens.views,
    users: people.users,
    peers: people.peers,
    groups,
    groupDesk,
    pictures: data.pictures.pictures,
    blocked: people.blocked.blocked,
    signIns: people.signIns,
    commands,
    undo,
    watchReactions: (listener) => watchReactions(database.messages, listener),
    takeCommands: commandTaker.take,
    recordUnread: inbox.setUnread,
    findLastInboundAt: (peerId) => findLastInboundAt(database.messages, peerId),
    now,
    search,
    drafts,
    encryption,
    presence: people.presence.presence,
    watchPerson: realtime.watchPerson,
    typing: realtime.typing,
    stopTyping: realtime.stopTyping,
    connection: connection.connection,
    readTrace: trace.read,
    setAside: leadership.setAside,
    outbox: outbox.counts,
    openOutbox: outbox.open,
    sendNow: leadership.sendNow,
    requests: queue.requests,
    settings: ownSettings.settings,
    keys: ownKeys.keys,
    readKeyNumber: ownKeys.readNumber,
    files: files.files,
    archive: createLazyArchive({ ...sending, pictures: data.about.pictures }),
    async openVoiceDrafts() {
      voiceDrafts ??= import('../database/files/voice-drafts.ts').then(({ createVoiceDrafts }) =>
        createVoiceDrafts({ ...context, locks: platform.locks }),
      )
      return await voiceDrafts
    },
    async countUnsent() {
      const { countUnsentDocuments } = await import('./replication/count-unsent-documents.ts')
      await undo.finish()
      return (await countUnsentDocuments(database)) + (await queue.countWaiting())
    },
    close: () => (closing ??= close()),
    erase: () => (closing = (closing ?? stop()).then(erase)),
  }
}

/** Loads the code with the first export or import. */
function createLazyArchive(options: {
  context: CommandContext
  calls: Pick<RequestCalls, 'messages'>
  pictures: PeopleStore['pictures']
}): Archive {
  return {
    async save(asked) {
      const { saveArchive } = await import('./archive/save-archive.ts')
      return await saveArchive(options, asked)
    },
    async restore(zip, asked) {
      const { restoreArchive } = await import('./archive/restore-archive.ts')
      return await restoreArchive(options, zip, asked)
    },
  }
}

type Block = Parameters<RequestCalls['users']['setBlocked']>[0]

/** The calls; what the server has accepted of these is recorded before its request is over. */
function recordTaken(
  calls: RequestCalls,
  options: {
    onBlock: (change: Block) => Promise<void>
    recordGroups: (groups: RequestCalls['groups']) => RequestCalls['groups']
  },
): RequestCalls {
  const { own, messages, users } = calls
  const { onBlock, recordGroups } = options
  return {
    own,
    messages,
    // Read at a call: the desk that records them is made after the queue.
    get groups() {
      return recordGroups(calls.groups)
    },
    users: {
      async setBlocked(change, options) {
        const answer = await users.setBlocked(change, options)
        await onBlock(change)
        return answer
      },
      report: (given, options) => users.report(given, options),
    },
  }
}

/**
 * Takes in new people and carries out what waits in the inbox, one run after the other: two at once would do the same twice.
 * What is about a message that has not arrived is tried again at each change of the list.
 */
function createCommandTaker(options: {
  inbox: Inbox
  context: CommandContext
  list: { subscribe(listener: () => void): () => void }
  onError: (error: unknown) => void
}) {
  const { inbox, context, list, onError } = options
  const state = { isWaiting: false, isClosed: false, taking: Promise.resolve() }

  async function run() {
    if (state.isClosed) return
    await takePeople({ inbox, people: context.database.device.people }).catch(onError)
    state.isWaiting = (await takeCommands({ inbox, context, onError })) > 0
  }

  function take(): Promise<void> {
    state.taking = state.taking.then(run).catch(onError)
    return state.taking
  }

  const stopListening = list.subscribe(() => {
    if (state.isWaiting) void take()
  })

  return {
    take,
    async close() {
      state.isClosed = true
      stopListening()
      await state.taking
    },
  }
}

/**
 * Takes in the records of those who wrote first while the app was closed, so that their chats have
 * a name without a network. What the device knows already may be newer, and stays.
 */
async function takePeople(options: {
  inbox: Pick<Inbox, 'list' | 'drop'>
  people: DeviceStore['people']
}): Promise<void> {
  const { inbox, people } = options
  const kept = (await inbox.list()).filter(({ collection }) => collection === 'people')
  if (kept.length === 0) return
  const known = await people.bulkGet(kept.map(({ _id }) => _id))
  const fresh = kept.flatMap(({ document }, at) => {
    const read = publicUser.safeParse(document)
    return known[at] === undefined && read.success ? [read.data] : []
  })
  await people.bulkPut(fresh)
  await inbox.drop(kept)
}

/** What a person can do. Each resolves once the device has stored it; replication sends it. */
function createCommands(options: {
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

/** What screens watch of this device's data, with withheld changes shown as done. */
interface ScreenViews {
  views: Pick<
    Messenger,
    'conversations' | 'conversationsRead' | 'openConversation' | 'sift' | 'messages' | 'starred'
  >
  close(): void
}

function createScreenViews(options: {
  database: PetrelDatabase
  list: ReturnType<typeof createConversationList>
  withheld: LiveValue<Withheld>
  onError: (cause: unknown) => void
}): ScreenViews {
  const { database, list, withheld, onError } = options
  const mask = createMask(withheld)
  const messageValues = createMessageValues({ database, onError })
  const starred = createStarred({ messages: database.messages, onError })
  return {
    views: {
      conversations: mask.rows(list.conversations),
      conversationsRead: list.whole,
      openConversation: (peerId, options) =>
        mask.view(
          createMessageWindow({
            ...options,
            database,
            peerId,
            hiddenUpTo: () => withheld.getSnapshot().cleared.get(peerId) ?? 0,
            onError,
          }),
        ),
      async sift(peerId, options) {
        const { createSiftedWindow } = await import('../database/views/sifted-window.ts')
        return mask.sifted(createSiftedWindow({ ...options, database, peerId, onError }))
      },
      messages: { get: (messageId) => mask.message(messageValues.get(messageId)) },
      starred: mask.messages(starred.starred),
    },
    close() {
      for (const part of [starred, messageValues, list]) part.close()
    },
  }
}
