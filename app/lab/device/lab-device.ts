import { IDBKeyRange } from 'fake-indexeddb'
import type { SignedIn } from '../../../schema/api/auth.ts'
import type { ConversationDocument } from '../../../schema/conversation.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { createApi } from '../../api/api.ts'
import { createSessionStore } from '../../api/session-store.ts'
import { createKeyValueStorage } from '../../database/storage/key-value-storage.ts'
import { openDatabase } from '../../database/storage/open-database.ts'
import { openDeviceStore } from '../../database/storage/open-device-store.ts'
import { fromStoredMessage, toStoredMessage } from '../../database/storage/stored-message.ts'
import { createMessenger, type MessengerOptions } from '../../sync/messenger.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { createOwedErasures } from '../../sync/owed-erasures.ts'
import { createLabDisk } from '../kit/disk.ts'
import { createLabLocks } from '../kit/locks.ts'
import { createLabPage } from '../kit/page.ts'
import { createLabTexts } from '../kit/texts.ts'
import type { TraceRecorder } from '../kit/trace.ts'
import { advanceWriteTimes } from './advance-write-times.ts'
import { createLabAccess, type LabAccess, type LabAccount } from './lab-access.ts'
import type { LabDevice, LabTab } from './lab-device-types.ts'
import { createLabNetwork } from './lab-network.ts'
import { readConversation } from './read-conversation.ts'
import { countStoredRecords, readStoredDocuments } from './read-stored-documents.ts'
import { sendTextFile } from './send-text-file.ts'
import { shortenToken } from './shorten-token.ts'
import type { Witness } from './witness.ts'
import { witnessCommands } from './witness-commands.ts'

export interface DeviceOptions {
  name: string
  serverUrl: () => string
  /** The server's folder, whose secret signs tokens. */
  dataDir: string
  random: () => number
  account: LabAccount
  /** The device of this person that confirms this one's code; absent where the password signs in. */
  by?: LabAccess | undefined
  /** Loses what the password opened, and opens its keys by the recovery key. */
  isRecovered?: boolean
  endSignIn: (token: string) => Promise<void>
  /** How far its clock is ahead of the true time, in ms. */
  clockAheadMs: number
  line: MessengerOptions['line']
  witness: Witness
  /** Records what passes its network. */
  trace?: TraceRecorder | undefined
  onError: (cause: unknown) => void
  /** Fills its empty IndexedDB before it opens. */
  fill?: ((indexedDB: IDBFactory) => Promise<void>) | undefined
}

export async function createLabDevice(options: DeviceOptions): Promise<LabDevice> {
  const { name, random } = options
  const disk = createLabDisk()
  const { indexedDB } = disk
  const locks = createLabLocks()
  const texts = createLabTexts()
  const network = createLabNetwork({
    random,
    onExchange: (exchange) => options.trace?.recordExchange(name, exchange),
    onFrame: (way, text) => options.trace?.recordFrame(name, way, text),
  })
  const sessions = createSessionStore({
    kept: createKeyValueStorage(),
    passing: createKeyValueStorage(),
  })
  const clock = { aheadMs: options.clockAheadMs }
  let tabs: LabTab[] = []
  let opened = 0
  /** From one kill to the next. A dead tab makes no sound. */
  let life = { isOver: false }

  const access = createLabAccess({
    account: options.account,
    serverUrl: options.serverUrl,
    sessions,
    openStore: (userId) =>
      openDeviceStore({ name: `petrel-${userId}-${name}`, indexedDB, IDBKeyRange }),
  })

  async function signIn() {
    const { by } = options
    sessions.set(await (by ? access.enterByCode(by) : access.enter()), { keepSignedIn: true })
    if (options.isRecovered) await access.recover()
  }

  async function openTab(): Promise<LabTab> {
    const { user } = must(sessions.get() ?? lastSession, 'a sign-in')
    // Its person does at once what a locked device asks for.
    await access.unlockAtOnce().catch(() => {})
    const page = createLabPage()
    const own = life
    const forgetPage = network.addPage(page)
    const link = network.connect()
    const serverUrl = options.serverUrl()
    const api = createApi({ serverUrl, fetch: link.fetch, sessions })
    opened += 1
    const created = await createMessenger({
      hasGroups: () => sessions.get()?.user.groups === 'on',
      userId: user._id,
      serverUrl,
      readToken: () => sessions.get()?.token,
      people: api.users,
      calls: api,
      knownSettings: sessions.get()?.user,
      line: options.line,
      platform: {
        indexedDB,
        IDBKeyRange,
        locks,
        texts,
        page,
        random,
        fetch: link.fetch,
        WebSocket: link.WebSocket,
        now: () => Date.now() + clock.aheadMs,
        tab: { device: name, name: `${name}-${opened}` },
      },
      onSignedOut: () => void sessions.expire(),
      onError: (cause) => own.isOver || disk.hadTrouble() || options.onError(cause),
    })
    const { witness } = options
    const read = async (id: string) => (await stored<MessageDocument>('messages')).get(id)
    const readConversation = async (peerId: string) =>
      (await stored<ConversationDocument>('conversations')).get(peerId)
    const commands = witnessCommands({ ...created, read, readConversation, witness })
    const messenger: Messenger = { ...created, commands }
    const stopWatching = witness.watch(name, messenger)
    const tab: LabTab = {
      messenger,
      page,
      freeze: link.freeze,
      async close() {
        link.cut()
        forgetPage()
        stopWatching()
        tabs = tabs.filter((other) => other !== tab)
        await messenger.close()
      },
    }
    tabs = [...tabs, tab]
    return tab
  }

  async function closeTabs() {
    await Promise.all(tabs.map((tab) => tab.close()))
  }

  async function reload() {
    await closeTabs()
    await openTab()
  }

  /** Without the device's network faults, as if retried until it succeeds. */
  function signInAgain(): Promise<SignedIn | undefined> {
    return access.enter().catch(() => undefined)
  }

  await options.fill?.(indexedDB)
  await signIn()
  const lastSession = must(sessions.get(), 'the first sign-in')
  await openTab()
  const stored = <T extends { _id: string }>(collection: string) => {
    const database = `petrel-${lastSession.user._id}-${name}`
    return readStoredDocuments<T>({ indexedDB, database, collection })
  }
  const first = () => must(tabs[0], `an open tab of ${name}`).messenger

  return {
    name,
    userId: lastSession.user._id,
    access,
    network,
    disk,
    readText: texts.getItem,
    get messenger() {
      return first()
    },
    get tabs() {
      return tabs
    },
    get isOpen() {
      return tabs.length > 0
    },
    openTab,
    async say(to, content) {
      const id = await first().commands.sendMessage({ peerId: to.userId, content })
      options.witness.recordSaid({ id, authorId: lastSession.user._id, deviceName: name })
      options.witness.recordVersion({ _id: id, content })
      return id
    },
    async sendFile(to, content, fileWords = `file ${content}`) {
      const id = await sendTextFile(first(), { to, content, fileWords })
      options.witness.recordSaid({
        id,
        authorId: lastSession.user._id,
        deviceName: name,
        fileWords,
      })
      options.witness.recordVersion({ _id: id, content })
      return id
    },
    async killAfterEnter(to, content, writes) {
      const { messenger } = must(tabs[0], `an open tab of ${name}`)
      const { userId: peerId } = to
      messenger.drafts.begin(peerId)
      messenger.drafts.set(peerId, content)
      life.isOver = true
      const sending = messenger.commands.sendMessage({ peerId, content }).catch(() => {})
      disk.dieAfter(writes)
      await Promise.race([sending, disk.untilDead()])
      texts.freeze()
      await closeTabs().catch(() => {})
      disk.makeRoom()
      texts.thaw()
      life = { isOver: false }
      await openTab()
      const messages = [...(await stored<MessageDocument>('messages')).values()]
      const message = messages.find((each) => each.peerId === peerId && each.content === content)
      const { text } = first().drafts.begin(peerId)
      if (text !== (message ? '' : content)) {
        const left = `the draft '${text}' and ${message ? 'the' : 'no'} message`
        throw new Error(`A kill after ${writes} writes leaves of '${content}' ${left}.`)
      }
      first().drafts.set(peerId, '')
      if (!message) return
      options.witness.recordSaid({ id: message._id, authorId: message.senderId, deviceName: name })
      options.witness.recordVersion(message)
    },
    edit: (messageId, content) => first().commands.editMessage(messageId, content),
    delete: (messageId) => first().commands.deleteMessage(messageId),
    read: (withWhom) => readConversation(first(), withWhom.userId),
    stored: async () => ({
      messages: await stored<MessageDocument>('messages'),
      conversations: await stored<ConversationDocument>('conversations'),
    }),
    async plant(messages) {
      const { userId, now } = { userId: lastSession.user._id, now: Date.now }
      const tab = { device: name, name: `${name}-plant` }
      const database = await openDatabase({ userId, now, indexedDB, IDBKeyRange, tab })
      const { error } = await database.messages.bulkUpsert(
        messages.map((message) => toStoredMessage(fromStoredMessage(message), userId)),
      )
      await database.close()
      if (error.length > 0) throw new Error('This could not be planted.', { cause: error })
    },
    async endSignIn() {
      const token = must(sessions.get(), 'a sign-in').token
      await options.endSignIn(token)
    },
    async renewSignIn(endsBefore) {
      const next = await signInAgain()
      const before = sessions.get()
      if (!next || !before) return
      sessions.set(next, { keepSignedIn: true })
      if (endsBefore) await options.endSignIn(before.token).catch(() => {})
    },
    async signOut(heardAfterMs) {
      // A sign-in that was ended elsewhere leaves no tab to sign out of.
      if (tabs.length === 0 || (await first().countUnsent()) > 0) return
      const next = await signInAgain()
      const before = sessions.get()
      const [leaving, ...others] = tabs
      if (!next || !before || !leaving) return
      options.witness.excuse(name)
      disk.recordErasure()
      life.isOver = true
      const owed = createOwedErasures({ texts, indexedDB })
      owed.record(before.user._id)
      const erasing = leaving.messenger.erase()
      sessions.clear()
      options.endSignIn(before.token).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, heardAfterMs))
      await Promise.allSettled(others.map((other) => other.close()))
      await erasing
      await leaving.close()
      await owed.finish(before.user._id)
      life = { isOver: false }
      sessions.set(next, { keepSignedIn: true })
      await openTab()
    },
    shortenSignIn(keptMs) {
      const session = must(sessions.get(), 'a sign-in')
      const token = shortenToken({ dataDir: options.dataDir, token: session.token, keptMs })
      sessions.set({ ...session, token }, { keepSignedIn: true })
      return token
    },
    async erase() {
      if ((await first().countUnsent()) > 0) return
      options.witness.excuse(name)
      await disk.erase()
    },
    async loseStorage() {
      options.witness.excuse(name)
      await closeTabs()
      await disk.erase()
      await openTab()
    },
    async expectOwed(readHeld) {
      const count = await first().countUnsent()
      const left = [...(await stored<MessageDocument>('messages')).values()]
      // Messages sent before the count are there by now.
      const isHeld = await readHeld()
      // A group's secret that was made since the count is no words.
      const waiting = left.filter(
        ({ _id, peerId, status, deletedAt, ...message }) =>
          status === 'sending' &&
          deletedAt === undefined &&
          !('epoch' in message) &&
          isHeld?.({ _id, peerId }) === false,
      )
      if (count >= waiting.length) return
      throw new Error(`P11: ${name} holds ${waiting.length} words that wait, and owes ${count}.`)
    },
    setClock(aheadMs) {
      clock.aheadMs = aheadMs
    },
    advanceWriteTimes: (ms) => advanceWriteTimes(indexedDB, ms),
    countStoredRecords: () => countStoredRecords(indexedDB),
    reload,
    async signIn() {
      // What they hear of the earlier sign-in must not end the new one.
      await closeTabs()
      await signIn()
      await openTab()
    },
    close: closeTabs,
  }
}
