import { IDBKeyRange } from 'fake-indexeddb'
import type { SignedIn } from '../../../schema/api/auth.ts'
import type { ConversationDocument } from '../../../schema/conversation.ts'
import { must } from '../../../schema/helpers/must.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { createApi } from '../../api/api.ts'
import { createSessionStore } from '../../api/session-store.ts'
import { createKeyValueStorage } from '../../database/storage/key-value-storage.ts'
import { openDatabase } from '../../database/storage/open-database.ts'
import { fromStoredMessage, toStoredMessage } from '../../database/storage/stored-message.ts'
import { createMessenger, type MessengerOptions } from '../../sync/messenger.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { createOwedErasures } from '../../sync/owed-erasures.ts'
import { advanceWriteTimes } from './advance-write-times.ts'
import { createLabDisk, type LabDisk } from './lab-disk.ts'
import { createLabKeyValueStorage } from './lab-key-value-storage.ts'
import { createLabLocks } from './lab-locks.ts'
import { createLabNetwork, type LabNetwork } from './lab-network.ts'
import { createLabPage, type LabPage } from './lab-page.ts'
import { readConversation } from './read-conversation.ts'
import { countStoredRecords, readStoredDocuments } from './read-stored-documents.ts'
import { sendTextFile } from './send-text-file.ts'
import { shortenToken } from './shorten-token.ts'
import type { Witness } from './witness.ts'
import { witnessCommands } from './witness-commands.ts'

/** One open tab of a device: the real client core. */
export interface LabTab {
  messenger: Messenger
  page: LabPage
  /** As a browser freezes a tab in the background: nothing it has asked for ever comes back. */
  freeze(): void
  /** As a crash: nothing under way is waited for. */
  close(): Promise<void>
}

/** Everything that a device holds, by id. */
export interface StoredHere {
  messages: Map<string, MessageDocument>
  conversations: Map<string, ConversationDocument>
}

/** A person who can be written to. */
export interface Addressee {
  userId: string
}

/** A phone or a laptop: its own IndexedDB, network and clock, and the real client core in one or more tabs. */
export interface LabDevice {
  readonly name: string
  readonly userId: string
  readonly network: LabNetwork
  readonly disk: LabDisk
  /** The core in the first tab. */
  readonly messenger: Messenger
  readonly tabs: readonly LabTab[]
  readonly isOpen: boolean
  /** Opens one more tab on the same data. */
  openTab(): Promise<LabTab>
  /** Writes a message; it is kept on the device when this resolves. Gives its id. */
  say(to: Addressee, content: string): Promise<string>
  /** Writes a message with a text file; both are kept on the device when this resolves. Gives the message's id. */
  sendFile(to: Addressee, content: string, fileWords?: string): Promise<string>
  /**
   * Writes a message in the composer, sends it off, and is killed after so many further writes to the disk; then it
   * starts again. The words are a message or a draft by then.
   * @throws when they are both, or neither
   */
  killAfterEnter(to: Addressee, content: string, writes: number): Promise<void>
  /** Gives an own message another text. */
  edit(messageId: string, content: string): Promise<void>
  /** Takes an own message back. */
  delete(messageId: string): Promise<void>
  /** What this device shows of the conversation with somebody, oldest first, all of it. */
  read(withWhom: Addressee): Promise<readonly MessageDocument[]>
  /** What is stored on it, whether or not it is shown; also while it is closed. */
  stored(): Promise<StoredHere>
  /** Writes documents past every check of the core, as a damaged or a malicious one would. */
  plant(messages: readonly MessageDocument[]): Promise<void>
  /** Sets every time that the device has noted of its writes this much ahead, as if its clock had been. */
  advanceWriteTimes(ms: number): Promise<void>
  /**
   * Deletes all that is stored under the open pages, as somebody who clears the site's data. Nothing happens while
   * something is not sent yet: nobody could bring that back.
   */
  erase(): Promise<void>
  /**
   * Sees that every word that waits to be sent is known to be owed.
   * @param readHeld ids of what the server holds: of that only the answer is missing. Undefined where it can't be asked
   * @throws otherwise
   */
  expectOwed(readHeld: () => Promise<ReadonlySet<string> | undefined>): Promise<void>
  /** Closes every tab in the middle of whatever it does and opens one again: the data stays, as in a browser. */
  reload(): Promise<void>
  /** Ends this device's sign-in at the server, as its person can from another device. It is not told. */
  endSignIn(): Promise<void>
  /**
   * Its person signs in once more in a tab of its own: those that are open go on with the new token. Nothing happens
   * where the server can't be reached.
   * @param endsBefore does the sign-in from before end at the server?
   */
  renewSignIn(endsBefore: boolean): Promise<void>
  /**
   * Its person signs out in one tab, which takes everything off the device, and in again; the other tabs hear of it
   * after so many ms. Nothing happens where words would be lost, or where the server can't be reached.
   */
  signOut(heardAfterMs: number): Promise<void>
  /** Lets its token be over so soon, as if it had been given long ago. Gives that token. */
  shortenSignIn(keptMs: number): string
  /** How many records of any kind lie in its IndexedDB. */
  countStoredRecords(): Promise<number>
  /** Signs in again, as after a sign-in that has ended; what is on the device is still there. */
  signIn(): Promise<void>
  close(): Promise<void>
}

export interface DeviceOptions {
  name: string
  serverUrl: () => string
  /** The server's, whose secret signs tokens. */
  dataDir: string
  random: () => number
  /** Asks the server for a new sign-in of this device's person. */
  signIn: (fetch: typeof globalThis.fetch) => Promise<SignedIn>
  endSignIn: (token: string) => Promise<void>
  /** How far its clock is ahead of the true time, in ms. */
  clockAheadMs: number
  line: MessengerOptions['line']
  witness: Witness
  onError: (cause: unknown) => void
}

export async function createLabDevice(options: DeviceOptions): Promise<LabDevice> {
  const { name, random } = options
  const disk = createLabDisk()
  const { indexedDB } = disk
  const locks = createLabLocks()
  const texts = createLabKeyValueStorage()
  const network = createLabNetwork({ random })
  const sessions = createSessionStore({
    kept: createKeyValueStorage(),
    passing: createKeyValueStorage(),
  })
  let tabs: LabTab[] = []
  let opened = 0
  /** From one kill to the next. Of whoever is dead nothing is heard. */
  let life = { isOver: false }

  async function signIn() {
    const link = network.connect()
    sessions.set(await options.signIn(link.fetch), { keepSignedIn: true })
    link.cut()
  }

  async function openTab(): Promise<LabTab> {
    const { user } = must(sessions.get() ?? lastSession, 'a sign-in')
    const page = createLabPage()
    const own = life
    const forgetPage = network.addPage(page)
    const link = network.connect()
    const serverUrl = options.serverUrl()
    const api = createApi({ serverUrl, fetch: link.fetch, sessions })
    opened += 1
    const created = await createMessenger({
      userId: user._id,
      serverUrl,
      readToken: () => sessions.get()?.token,
      people: api.users,
      calls: api,
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
        now: () => Date.now() + options.clockAheadMs,
        tab: { device: name, name: `${name}-${opened}` },
      },
      onSignedOut: () => sessions.clear(),
      onError: (cause) => own.isOver || disk.hadTrouble() || options.onError(cause),
    })
    const { witness } = options
    const read = async (id: string) => (await stored<MessageDocument>('messages')).get(id)
    const commands = witnessCommands({ ...created, read, witness })
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

  /** Past every fault of the device's network, as it would be tried until it succeeds. */
  function signInAnew(): Promise<SignedIn | undefined> {
    return options.signIn(fetch).catch(() => undefined)
  }

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
    network,
    disk,
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
        messages.map((message) => toStoredMessage(fromStoredMessage(message))),
      )
      await database.close()
      if (error.length > 0) throw new Error('This could not be planted.', { cause: error })
    },
    async endSignIn() {
      const token = must(sessions.get(), 'a sign-in').token
      await options.endSignIn(token)
    },
    async renewSignIn(endsBefore) {
      const next = await signInAnew()
      const before = sessions.get()
      if (!next || !before) return
      sessions.set(next, { keepSignedIn: true })
      if (endsBefore) await options.endSignIn(before.token).catch(() => {})
    },
    async signOut(heardAfterMs) {
      if ((await first().countUnsent()) > 0) return
      const next = await signInAnew()
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
    async expectOwed(readHeld) {
      const count = await first().countUnsent()
      const left = [...(await stored<MessageDocument>('messages')).values()]
      // What was sent before it was counted is there by now.
      const held = await readHeld()
      const waiting = left.filter(
        ({ _id, status, deletedAt }) =>
          status === 'sending' && deletedAt === undefined && held?.has(_id) === false,
      )
      if (count >= waiting.length) return
      throw new Error(`P11: ${name} holds ${waiting.length} words that wait, and owes ${count}.`)
    },
    advanceWriteTimes: (ms) => advanceWriteTimes(indexedDB, ms),
    countStoredRecords: () => countStoredRecords(indexedDB),
    reload,
    async signIn() {
      await signIn()
      await reload()
    },
    close: closeTabs,
  }
}
