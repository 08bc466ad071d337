import { createDeferred } from '../../schema/helpers/deferred.ts'
import { isUploadOwed } from '../../schema/message.ts'
import { clearConversation, findClearPlace } from '../database/commands/clear-conversation.ts'
import { createDrafts } from '../database/drafts/drafts.ts'
import { readLeftDrafts } from '../database/drafts/left-drafts.ts'
import { claimTabSlot } from '../database/drafts/tab-slot.ts'
import type { VoiceDrafts } from '../database/files/voice-drafts.ts'
import { createInbox } from '../database/inbox/inbox.ts'
import { openPeopleStore } from '../database/people/people-store.ts'
import { createClock } from '../database/storage/clock.ts'
import { findLastInboundAt } from '../database/storage/find-newest-message.ts'
import { openDatabase } from '../database/storage/open-database.ts'
import { readDocuments } from '../database/storage/read-documents.ts'
import { createConversationList } from '../database/views/conversation-list.ts'
import { createLiveValue } from '../database/views/live-value.ts'
import { createMessageValues } from '../database/views/message-values.ts'
import { createMessageWindow } from '../database/views/message-window.ts'
import { createStarred } from '../database/views/starred.ts'
import { watchReactions } from '../database/views/watch-reactions.ts'
import { createLazyArchive } from './archive/lazy-archive.ts'
import { createCommands } from './commands.ts'
import { createConnection } from './connection.ts'
import { eraseDevice } from './erase-device.ts'
import { createFiles } from './files/files.ts'
import { createHeardNames } from './heard-names.ts'
import { createCommandTaker } from './inbox/command-taker.ts'
import { createMessageSearch } from './message-search.ts'
import type { Messenger } from './messenger-types.ts'
import { createOutboxCounts } from './outbox/outbox-counts.ts'
import type { OutboxItem } from './outbox/outbox-types.ts'
import { createOwnSettings } from './own-settings.ts'
import { createBlockedPeople } from './people/blocked-people.ts'
import { createNewcomers } from './people/newcomers.ts'
import { createPictures } from './people/pictures.ts'
import { recordBlocks } from './people/record-blocks.ts'
import { createSignIns } from './people/sign-ins.ts'
import { createPeople, type PeopleSource } from './people.ts'
import { createLeaderElection } from './platform/leader-election.ts'
import { lastSyncedKey } from './platform/own-texts.ts'
import type { Platform } from './platform/platform.ts'
import { createChangeFeed } from './realtime/change-feed.ts'
import { createFrontSignal } from './realtime/front-signal.ts'
import { createLazyLine } from './realtime/lazy-line.ts'
import { createPresence } from './realtime/presence.ts'
import { giveServerEvent } from './realtime/server-events.ts'
import { createTypingSignal } from './realtime/typing-signal.ts'
import { createWatchedPeople } from './realtime/watched-people.ts'
import { createLazySync } from './replication/lazy-sync.ts'
import type { SetAsidePush } from './replication/set-aside.ts'
import type { Sync, SyncOptions } from './replication/sync.ts'
import { createPushLine } from './replication/transport/push-line.ts'
import type { RequestCalls } from './requests/request-calls.ts'
import { createRequests } from './requests/requests.ts'
import { returnArchived } from './return-archived.ts'
import { createUndo } from './undo.ts'
import { createMask } from './withheld.ts'

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
  const { userId, serverUrl, platform, readToken } = options
  const { page, texts } = platform
  const onError = options.onError ?? (() => {})
  const clock = createClock({ now: platform.now, texts })
  const { now } = clock
  let voiceDrafts: Promise<VoiceDrafts> | undefined
  const { indexedDB, IDBKeyRange, tab } = platform
  const claiming = claimTabSlot({ locks: platform.locks, name: `petrel-tab-${userId}` })
  const opening = openDatabase({ userId, now, indexedDB, IDBKeyRange, tab })
  opening.catch(() => claiming.then(({ release }) => release()))
  const [database, slot] = await Promise.all([opening, claiming])
  const about = openPeopleStore({ name: database.name, indexedDB, IDBKeyRange })
  const pictures = createPictures({
    table: about.pictures,
    download: (picture, how) => options.calls.messages.download(picture, how),
    now: platform.now,
    random: platform.random,
    onError,
  })
  const signIns = createSignIns({
    table: about.signIns,
    listSessions: () => options.calls.own.listSessions(),
    now: platform.now,
    onError,
  })
  const list = createConversationList({ database, onError, now })

  const [people, drafts, ownSettings] = await Promise.all([
    createPeople({
      table: database.device.people,
      source: options.people,
      onError,
      isMet: (userId) =>
        list.conversations.getSnapshot().some((row) => row.peerId === userId) ||
        queue.concerns(userId),
      onPictureGone: (address) => void pictures.drop(address).catch(onError),
      random: platform.random,
      now: () => performance.now(),
    }),
    createDrafts({
      drafts: database.device.drafts,
      userId,
      slot,
      texts,
      now: platform.now,
      onError,
      readLeft: () => readLeftDrafts(database.messages),
      findStored: async (ids) => new Set((await readDocuments(database.messages, ids)).keys()),
    }),
    createOwnSettings({
      userId,
      table: database.device.settings,
      texts,
      findRequests: () => queue.requests,
      readOwn: () => options.calls.own.me(),
      now,
      onError,
    }),
    list.ready,
  ])
  const messageValues = createMessageValues({ database, onError })
  const starred = createStarred({ messages: database.messages, onError })
  const search = createMessageSearch({ database, indexedDB, IDBKeyRange, onError })
  const connection = createConnection({
    messages: database.messages,
    page,
    now,
    onError,
    lastSynced: { texts, key: lastSyncedKey(userId) },
  })
  /** Retries requests that failed while the server was unreachable. */
  let wasLive = false
  const stopAsking = connection.connection.subscribe(() => {
    const isLive = connection.connection.getSnapshot().state === 'live'
    const isBack = isLive && !wasLive
    wasLive = isLive
    if (isBack) pictures.hurry()
    if (isBack && sync) blocked.refresh()
    if (isBack && people.problem.getSnapshot() !== undefined) people.refresh().catch(() => {})
  })
  const newcomers = createNewcomers({
    userId,
    isKnown: people.isKnown,
    refresh: people.refresh,
    now: () => performance.now(),
    random: platform.random,
  })
  const presence = createPresence({
    onLeft: people.readAgain,
    onLost: (userIds) => people.recordLost(userIds, new Date(now()).toISOString()),
    onHere(userIds) {
      people.recordOnline(userIds)
      // One tab asks, and the others read what it stores.
      if (sync) newcomers.meet(userIds)
    },
  })
  const heardNames = createHeardNames({ load: people.load })
  /** Requests the record of a first-time sender, so that no row stays without a name. */
  function meetStrangers() {
    for (const row of list.conversations.getSnapshot()) {
      if (!row.peer) people.get(row.peerId)
      else heardNames.handle(row.peer, row.lastMessage)
    }
  }
  const stopMeeting = list.conversations.subscribe(meetStrangers)
  meetStrangers()
  const context = { userId, database, now }
  const inbox = createInbox({ name: database.name, indexedDB })
  const sending = {
    context,
    platform,
    onError,
    calls: recordBlocks(options.calls, (change) => blocked.record(change)),
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
  const blocked = createBlockedPeople({
    table: about.lists,
    listBlocked: options.people.listBlocked,
    entries: queue.requests.entries,
    now: platform.now,
    onError,
  })
  const files = createFiles(sending)
  const ending = new Set<Promise<unknown>>()
  const setAside = createLiveValue<ReadonlyMap<string, SetAsidePush>>(new Map())
  let sync: Sync | undefined

  function signOutHere() {
    connection.setOutcome('signed-out')
    options.onSignedOut()
  }

  const opened = createDeferred<void>()
  const untilDrawn = opened.promise.then(platform.untilIdle)
  const feed = createChangeFeed({ send: (event) => line.send(event) })
  const pushes = createPushLine({
    send: (event) => line.send(event),
    fetch: platform.fetch,
    now: platform.now,
    line: options.line,
  })

  const leader = createLeaderElection({
    locks: platform.locks,
    page,
    name: `petrel-sync-${userId}${platform.tab ? `-${platform.tab.device}` : ''}`,
    begin() {
      const ours = createLazySync({
        untilDrawn,
        database,
        platform,
        serverUrl,
        readToken,
        clock,
        feed,
        fetch: pushes.fetch,
        onError,
        line: options.line,
        pendingFiles: files.pending,
        inbox,
        onSetAside(all) {
          connection.setSetAside(all)
          setAside.set(all.pushes)
        },
        onOutcome(outcome) {
          if (outcome === 'signed-out') signOutHere()
          else connection.setOutcome(outcome)
          if (outcome === 'unreachable') line.doubt()
        },
        onComing: connection.setComingCount,
      })
      sync = ours
      connection.setLeader(true)
      ownSettings.setLeader(true)
      people.refresh().catch(() => {})
      const [endQueue, endUploads] = [queue.begin(), files.begin()]
      return () => {
        sync = undefined
        connection.setLeader(false)
        setAside.set(new Map())
        ownSettings.setLeader(false)
        ending.add(ours.close().catch(onError))
        ending.add(endQueue().catch(onError))
        ending.add(endUploads().catch(onError))
      }
    },
  })

  const line = createLazyLine({
    platform,
    untilDrawn,
    serverUrl,
    readToken,
    onError,
    onOpen(speaksChanges) {
      if (speaksChanges) feed.open()
      line.send({ event: 'user-online', data: userId })
      connection.setSocketUp(true)
      ownSettings.setLineUp(true)
      // Told from now on: what came before is asked for.
      if (sync) blocked.refresh()
      sync?.hurry()
      queue.hurry()
      files.hurry()
    },
    onEvent(event) {
      pushes.hear()
      giveServerEvent(event, {
        feed,
        presence,
        watched,
        front,
        expectMessage: (messageId) => sync?.expectMessage(messageId),
        settings: ownSettings,
        blocked,
        pushes,
      })
    },
    onDown(why) {
      // A person with too many tabs is online all the same: the server itself has said so.
      connection.setSocketUp(why === 'displaced')
      ownSettings.setLineUp(false)
      feed.forget()
      pushes.forget()
      presence.forget()
      watched.forget()
      front.forget()
    },
    onOutdated: connection.setOutdated,
    onSignedOut: signOutHere,
  })
  const stopListening = page.subscribe((event) => {
    if (event === 'online') people.refresh().catch(() => {})
    if (event === 'front') blocked.refreshIfOld()
  })
  const typing = createTypingSignal({ send: line.send })
  const watched = createWatchedPeople({ send: line.send })
  const front = createFrontSignal({ send: line.send, page })

  const commands = createCommands({ context, drafts, typing })
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
    conversations: list.conversations,
    settings: ownSettings.settings,
    userId,
    findArchivedAt: async (peerId) =>
      (await readDocuments(database.conversations, [peerId])).get(peerId)?.isArchivedAt ?? 0,
    unarchive: (peerId) => commands.setArchived(peerId, false),
    onError,
  })
  const mask = createMask(undo.withheld)
  const { withheld } = undo
  const outbox = createOutboxCounts({ database, requests: queue.requests, withheld, onError })

  function nextTryInMs(item: OutboxItem): number | undefined {
    if (item.kind === 'request') return queue.nextTryInMs(item.entry.resource)
    const dueAt = setAside.getSnapshot().get(item.id)?.dueAt
    if (dueAt !== undefined) return Math.max(0, dueAt - performance.now())
    return isUploadOwed(item.message) ? files.nextTryInMs(item.message.peerId) : sync?.nextTryInMs()
  }

  const { conversations } = list
  const commandTaker = createCommandTaker({ inbox, context, list: conversations, onError })
  void untilDrawn.then(commandTaker.take)

  async function stop() {
    await undo.close()
    await commandTaker.close()
    stopMeeting()
    stopReturning()
    stopAsking()
    leader.close()
    line.close()
    stopListening()
    for (const part of [
      typing,
      watched,
      front,
      presence,
      newcomers,
      connection,
      outbox,
      starred,
      messageValues,
      list,
      people,
      pictures,
      blocked,
      queue,
      ownSettings,
      files,
    ]) {
      part.close()
    }
    await Promise.all([...ending, drafts.close(), search.close()])
    slot.release()
  }

  async function close() {
    await stop()
    about.close()
    await database.close()
  }

  async function erase() {
    await search.erase()
    await about.remove()
    await inbox.erase()
    await eraseDevice({ database, userId, texts })
  }

  let closing: Promise<void> | undefined
  opened.resolve()
  return {
    userId,
    conversations: mask.rows(list.conversations),
    users: { ...people, refreshIfOld: newcomers.refreshIfOld },
    pictures: pictures.pictures,
    blocked: blocked.blocked,
    signIns,
    openConversation: (peerId, options) =>
      mask.view(createMessageWindow({ ...options, database, peerId, onError })),
    async sift(peerId, options) {
      const { createSiftedWindow } = await import('../database/views/sifted-window.ts')
      return mask.sifted(createSiftedWindow({ ...options, database, peerId, onError }))
    },
    commands,
    undo,
    messages: { get: (messageId) => mask.message(messageValues.get(messageId)) },
    watchReactions: (listener) => watchReactions(database.messages, listener),
    takeCommands: commandTaker.take,
    recordUnread: inbox.setUnread,
    findLastInboundAt: (peerId) => findLastInboundAt(database.messages, peerId),
    now,
    search,
    drafts,
    starred: mask.messages(starred.starred),
    presence: presence.presence,
    watchPerson: watched.watch,
    typing: typing.typing,
    stopTyping: typing.stopTyping,
    connection: connection.connection,
    outbox: outbox.counts,
    async openOutbox() {
      const { createOutboxView } = await import('./outbox/outbox-view.ts')
      return createOutboxView({
        context,
        requests: queue.requests,
        pending: files.pending,
        withheld,
        setAside,
        connection: connection.connection,
        nextTryInMs,
        onError,
      })
    },
    sendNow() {
      sync?.sendNow()
      queue.hurry()
      files.hurry()
    },
    requests: queue.requests,
    settings: ownSettings.settings,
    files: files.files,
    archive: createLazyArchive({ ...sending, pictures: about.pictures }),
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
