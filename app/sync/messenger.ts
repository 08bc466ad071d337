import { createDeferred } from '../../schema/helpers/deferred.ts'
import type { TimedSettings } from '../../schema/settings.ts'
import { clearConversation, findClearPlace } from '../database/commands/clear-conversation.ts'
import type { VoiceDrafts } from '../database/files/voice-drafts.ts'
import { createClock } from '../database/storage/clock.ts'
import { findLastInboundAt } from '../database/storage/find-newest-message.ts'
import { readDocuments } from '../database/storage/read-documents.ts'
import { watchReactions } from '../database/views/watch-reactions.ts'
import { createLazyArchive } from './archive/lazy-archive.ts'
import { createCommands } from './commands.ts'
import { createConnection } from './connection.ts'
import { openDeviceData } from './device-data.ts'
import { createFiles } from './files/files.ts'
import { createCommandTaker } from './inbox/command-taker.ts'
import { createLeadership } from './leadership.ts'
import { createMessageSearch } from './message-search.ts'
import type { Messenger } from './messenger-types.ts'
import { createOutbox } from './outbox.ts'
import type { PeopleSource } from './people/known-people.ts'
import { recordBlocks } from './people/record-blocks.ts'
import { createPeople } from './people.ts'
import { lastSyncedKey } from './platform/own-texts.ts'
import type { Platform } from './platform/platform.ts'
import { createRealtime } from './realtime.ts'
import type { SyncOptions } from './replication/sync.ts'
import type { RequestCalls } from './requests/request-calls.ts'
import { createRequests } from './requests/requests.ts'
import { returnArchived } from './return-archived.ts'
import { createScreenViews } from './screen-views.ts'
import { createUndo } from './undo.ts'

export interface MessengerOptions {
  userId: string
  /** The server's origin, such as `https://chat.example`, without a trailing slash. */
  serverUrl: string
  /** Read for every request; undefined once the person has signed out. */
  readToken: () => string | undefined
  people: PeopleSource
  /** The calls for the request queue, which waits while there is no network. */
  calls: RequestCalls
  platform: Platform
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
  const { userId, serverUrl, platform, readToken, calls } = options
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
  function signOutHere() {
    connection.setOutcome('signed-out')
    options.onSignedOut()
  }
  const sending = {
    context,
    platform,
    onError,
    calls: recordBlocks(calls, (change) => people.blocked.record(change)),
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
  const files = createFiles(sending)
  const people = createPeople({
    userId,
    known: data.known,
    pictures: data.pictures,
    about: data.about,
    conversations,
    connection: connection.connection,
    requests: queue.requests,
    source: options.people,
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
    },
    onUp() {
      connection.setSocketUp(true)
      ownSettings.setLineUp(true)
      // Told from now on: what came before is asked for.
      if (leadership.isLeader()) people.blocked.refresh()
      leadership.hurry()
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
  const commandTaker = createCommandTaker({ inbox, context, list: conversations, onError })
  void untilDrawn.then(commandTaker.take)

  async function stop() {
    await undo.close()
    await commandTaker.close()
    people.close()
    stopReturning()
    const turnEnded = leadership.close()
    realtime.close()
    for (const part of [connection, outbox, screens, queue, ownSettings, files]) part.close()
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
    presence: people.presence.presence,
    watchPerson: realtime.watchPerson,
    typing: realtime.typing,
    stopTyping: realtime.stopTyping,
    connection: connection.connection,
    outbox: outbox.counts,
    openOutbox: outbox.open,
    sendNow: leadership.sendNow,
    requests: queue.requests,
    settings: ownSettings.settings,
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
