import {
  areConversationsEqual,
  type ConversationDocument,
  conversationDocument,
  mergeConversations,
} from '../../../schema/conversation.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import { areMessagesEqual, mergeMessages } from '../../../schema/merge-messages.ts'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { createFileStore } from '../../database/files/file-store.ts'
import { changeDocuments } from '../../database/storage/change-document.ts'
import type { CommandContext } from '../../database/storage/collections.ts'
import { isUnsent } from '../../database/storage/find-wanted-files.ts'
import type { PeopleStore } from '../../database/storage/people-store.ts'
import { readDocuments } from '../../database/storage/read-documents.ts'
import type { Sealing } from '../../database/storage/sealing.ts'
import {
  completeConversation,
  fromStoredConversation,
} from '../../database/storage/stored-conversation.ts'
import { fromStoredMessage, toStoredMessage } from '../../database/storage/stored-message.ts'
import { readConversations } from '../../database/views/read-conversations.ts'
import { closeMessage, type OpenedMessage } from '../../encryption/sealed-message.ts'
import type { Archive, ArchivedFile, ArchiveProgress } from './archive-format.ts'
import { ArchiveProblem } from './archive-problem.ts'
import { mergeDrafts } from './archived-drafts.ts'
import { keepPictures } from './archived-pictures.ts'
import { type OpenArchive, openArchive } from './check-archive.ts'

const batch = 200
/** Bytes of a file that wait here at most; the browser may keep a blob on the disk. */
const gatheredBytes = 4_000_000

/**
 * Merges a saved zip into this device, after every part of it has been read once. Its documents
 * are owed to the server like any change: the server's rule decides what it lacks (P4).
 */
export async function restoreArchive(
  { context, pictures }: { context: CommandContext; pictures: PeopleStore['pictures'] },
  zip: Blob,
  options: Parameters<Archive['restore']>[1],
): ReturnType<Archive['restore']> {
  const { signal, onProgress } = options
  const pace = { signal, onProgress }
  const archive = await openArchive(zip, { userId: context.userId, now: context.now() })
  const { shown, messageCount, unsentIn } = await check(archive, context, pace).catch(
    (cause: unknown) => {
      throw signal.aborted ? new ArchiveProblem('cancelled', cause) : cause
    },
  )
  try {
    await keepPeople(context, archive)
    await keepPictures(
      { table: pictures, now: context.now },
      archive.pictures.values(),
      (picture) => readBlob(archive, picture),
    )
    // Before their messages: nothing may be sent without its file.
    const fileCount = await keepFiles(context, archive, { ...pace, shown })
    const { groups } = context.database
    await groups.take(
      [...unsentIn].flatMap((id) => (groups.has(id) ? [] : (archive.groups.get(id) ?? []))),
    )
    const isOfGroup = (peerId: string) => groups.has(peerId) || archive.groups.has(peerId)
    const conversations = await mergeIn(
      context,
      filter(archive.conversations(), ({ _id }) => groups.has(_id) || !isOfGroup(_id)),
      mergeConversationsIn,
    )
    // What a group has comes in its order, from the group: only what has not left is nowhere else.
    const isWanted = (message: MessageDocument) =>
      !isOfGroup(message.peerId) || isUnsent(message, context.userId)
    const messages = await mergeIn(
      context,
      filter(archive.messages(), isWanted),
      mergeMessagesIn,
      (done) => {
        signal.throwIfAborted()
        onProgress({ stage: 'messages', done, total: messageCount })
      },
    )
    // After the messages that some of them may have become.
    await mergeDrafts(context.database.device.drafts, archive.drafts())
    return { fileCount, conversationCount: conversations, messageCount: messages }
  } catch (cause) {
    if (signal.aborted) throw new ArchiveProblem('stopped', cause)
    throw cause instanceof ArchiveProblem ? cause : new ArchiveProblem('no-room', cause)
  }
}

interface Pace {
  signal: AbortSignal
  onProgress(progress: ArchiveProgress): void
}

type ShownFile = Pick<
  MessageDocument,
  '_id' | 'mediaUrl' | 'peerId' | 'senderId' | 'orderedAt' | 'status' | 'deletedAt'
>

/** Reads all of it once. @returns what is needed of each file's message */
async function check(
  archive: OpenArchive,
  { userId, database }: Pick<CommandContext, 'userId' | 'database'>,
  { signal, onProgress }: Pace,
) {
  const { files } = archive
  // A person's chat would become a group's, which its server has never heard of.
  const ids = [...archive.groups.keys()]
  const people = await database.device.people.bulkGet(ids)
  if (ids.includes(userId) || people.some((one) => one)) throw new ArchiveProblem('damaged')
  const shown = new Map<string, ShownFile>()
  /** The groups that have yet to get something. */
  const unsentIn = new Set<string>()
  let messageCount = 0
  onProgress({ stage: 'checking', done: 0, total: files.size })
  for await (const _ of archive.people()) signal.throwIfAborted()
  for await (const _ of archive.drafts()) signal.throwIfAborted()
  for (const picture of archive.pictures.values()) {
    for await (const _ of archive.readFile(picture)) signal.throwIfAborted()
  }
  for await (const _ of archive.conversations()) signal.throwIfAborted()
  for await (const message of archive.messages()) {
    signal.throwIfAborted()
    const { _id, mediaUrl, peerId, senderId, orderedAt, status, deletedAt } = message
    const facts = { _id, mediaUrl, peerId, senderId, orderedAt, status, deletedAt }
    if (files.has(_id)) shown.set(_id, facts)
    if (archive.groups.has(peerId) && isUnsent(message, userId)) unsentIn.add(peerId)
    messageCount += 1
  }
  if (shown.size !== files.size) throw new ArchiveProblem('damaged')
  let done = 0
  for (const file of files.values()) {
    onProgress({ stage: 'checking', done, total: files.size })
    for await (const _ of archive.readFile(file)) signal.throwIfAborted()
    done += 1
  }
  return { shown, messageCount, unsentIn }
}

async function* filter<Document>(
  documents: AsyncIterable<Document>,
  isWanted: (document: Document) => boolean,
): AsyncGenerator<Document> {
  for await (const document of documents) if (isWanted(document)) yield document
}

/** People this device knows already are newer here. */
async function keepPeople({ database }: CommandContext, archive: OpenArchive) {
  const { people } = database.device
  for await (const person of archive.people()) {
    if (!(await people.get(person._id))) await people.put(person)
  }
}

async function keepFiles(
  context: CommandContext,
  archive: OpenArchive,
  options: Pace & { shown: ReadonlyMap<string, ShownFile> },
): Promise<number> {
  const { signal, onProgress } = options
  const store = createFileStore(context)
  const isGone = await openGone(context)
  const total = archive.files.size
  let [done, kept] = [0, 0]
  for (const file of archive.files.values()) {
    signal.throwIfAborted()
    onProgress({ stage: 'files', done, total })
    done += 1
    const message = must(options.shown.get(file.messageId), 'the message of a file')
    if ((await store.read(message)) || (await isGone(message))) continue
    await store.keep(message, await readBlob(archive, file))
    kept += 1
  }
  return kept
}

/** Was a message deleted, or its chat cleared, on this device? An unsent one needs its file. */
async function openGone({ database, userId }: CommandContext) {
  const conversations = await readConversations(database.conversations)
  const clearedUpTo = new Map(conversations.map((one) => [one._id, one.clearedUpTo]))
  return async (message: ShownFile): Promise<boolean> => {
    const { _id, peerId, orderedAt } = message
    const here = (await readDocuments(database.messages, [_id])).get(_id)
    if (here?.deletedAt !== undefined) return true
    return orderedAt <= (clearedUpTo.get(peerId) ?? 0) && !isUnsent(here ?? message, userId)
  }
}

async function readBlob(
  archive: OpenArchive,
  file: Pick<ArchivedFile, 'path' | 'mimeType'>,
): Promise<Blob> {
  let blob = new Blob([], { type: file.mimeType })
  let waiting: Uint8Array<ArrayBuffer>[] = []
  let gathered = 0
  const gather = () => {
    blob = new Blob([blob, ...waiting], { type: file.mimeType })
    waiting = []
    gathered = 0
  }
  for await (const piece of archive.readFile(file)) {
    waiting.push(piece as Uint8Array<ArrayBuffer>)
    gathered += piece.length
    if (gathered >= gatheredBytes) gather()
  }
  gather()
  return blob
}

/** @returns how many documents this device stores differently now */
async function mergeIn<Document extends { _id: string }>(
  context: CommandContext,
  documents: AsyncIterable<Document>,
  merge: (context: CommandContext, page: ReadonlyMap<string, Document>) => Promise<number>,
  onPage: (done: number) => void = () => {},
): Promise<number> {
  let page = new Map<string, Document>()
  let [done, changed] = [0, 0]
  const flush = async () => {
    changed += await merge(context, page)
    done += page.size
    page = new Map()
    onPage(done)
  }
  for await (const document of documents) {
    page.set(document._id, document)
    if (page.size >= batch) await flush()
  }
  await flush()
  return changed
}

async function mergeMessagesIn(
  { database, userId }: CommandContext,
  page: ReadonlyMap<string, MessageDocument>,
): Promise<number> {
  const { sealing } = database
  const changed = new Set<string>()
  const find = (id: string) => page.get(id) as MessageDocument
  const openArchived = (merged: MessageDocument, archived: MessageDocument) =>
    openFromArchive(merged, { archived, sealing })
  await changeDocuments(
    database.messages,
    [...page.keys()],
    (stored, id) => {
      const here = messageDocument.safeParse(closeMessage(fromStoredMessage(stored)))
      if (!here.success) return stored
      const archived = find(id)
      const merged = mergeMessages(here.data, closeMessage(archived))
      if (areMessagesEqual(merged, here.data)) return stored
      changed.add(id)
      return toStoredMessage(openArchived(merged, archived), userId)
    },
    (id) => {
      changed.add(id)
      return toStoredMessage(openArchived(closeMessage(find(id)), find(id)), userId)
    },
  )
  return changed.size
}

/** The archive has the words, too, of what no key on this device opens. */
function openFromArchive(
  merged: MessageDocument,
  { archived, sealing }: { archived: MessageDocument; sealing: Sealing },
): OpenedMessage {
  const opened = sealing.open(merged)
  if (opened.locked === undefined || merged.sealed !== archived.sealed) return opened
  const { locked, ...rest } = opened
  const { content, file } = archived
  return { ...rest, content, ...(rest.file && file && { file }) }
}

async function mergeConversationsIn(
  { database }: CommandContext,
  page: ReadonlyMap<string, ConversationDocument>,
): Promise<number> {
  const changed = new Set<string>()
  const find = (id: string) => page.get(id) as ConversationDocument
  await changeDocuments(
    database.conversations,
    [...page.keys()],
    (stored, id) => {
      const here = conversationDocument.safeParse(fromStoredConversation(stored))
      if (!here.success) return stored
      const merged = mergeConversations(here.data, find(id))
      if (areConversationsEqual(merged, here.data)) return stored
      changed.add(id)
      return completeConversation(merged)
    },
    (id) => {
      changed.add(id)
      return completeConversation(find(id))
    },
  )
  return changed.size
}
