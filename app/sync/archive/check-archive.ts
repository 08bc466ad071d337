import * as z from 'zod/mini'
import { type ConversationDocument, conversationDocument } from '../../../schema/conversation.ts'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { publicUser } from '../../../schema/user.ts'
import type { KnownPerson } from '../../database/storage/known-person.ts'
import {
  type ArchivedFile,
  archivedFile,
  archiveFormat,
  archiveHead,
  archiveParts,
  archiveVersion,
} from './archive-format.ts'
import { readJson, readLines } from './json-lines.ts'
import { ArchiveProblem } from './zip/archive-problem.ts'
import { openZip, readEntry, type ZipEntry } from './zip/zip-reader.ts'

/** A device's clock may be wrong by as much. */
const dayMs = 24 * 60 * 60 * 1000

const knownPerson = z.extend(publicUser, { isDeleted: z.optional(z.literal(true)) })

export type OpenArchive = Awaited<ReturnType<typeof openArchive>>

/**
 * Opens a saved zip of this person, and knows how to read its documents one at a time.
 * @throws ArchiveProblem
 */
export async function openArchive(zip: Blob, { userId, now }: { userId: string; now: number }) {
  const entries = await openZip(zip)
  const find = (name: string): ZipEntry => {
    const entry = entries.get(name)
    if (!entry) throw new ArchiveProblem('damaged')
    return entry
  }
  const headEntry = entries.get(archiveParts.head)
  if (!headEntry) throw new ArchiveProblem('no-archive')
  checkHead(await readJson(readEntry(zip, headEntry)), userId)
  const list = async function* <Document>(
    name: string,
    read: (line: unknown) => Document,
  ): AsyncGenerator<Document> {
    for await (const line of readLines(readEntry(zip, find(name)))) yield read(line)
  }

  const files = new Map<string, ArchivedFile>()
  for await (const file of list(archiveParts.files, (line) => parseWith(archivedFile, line))) {
    if (files.has(file.messageId) || find(file.path).size !== file.size) {
      throw new ArchiveProblem('damaged')
    }
    files.set(file.messageId, file)
  }
  const expected = new Set<string>(Object.values(archiveParts))
  for (const { path } of files.values()) expected.add(path)
  if (expected.size !== entries.size || [...entries.keys()].some((name) => !expected.has(name))) {
    throw new ArchiveProblem('damaged')
  }

  return {
    files,
    people: () => list(archiveParts.people, (line) => parseWith(knownPerson, line) as KnownPerson),
    conversations: () =>
      list(archiveParts.conversations, (line) => readConversation(line, { userId, now })),
    messages: () => list(archiveParts.messages, (line) => readMessage(line, { userId, now })),
    readFile: ({ path }: ArchivedFile) => readEntry(zip, find(path)),
  }
}

function checkHead(given: unknown, userId: string) {
  const isOurs = z.safeParse(z.looseObject({ format: z.literal(archiveFormat) }), given).success
  if (!isOurs) throw new ArchiveProblem('no-archive')
  const version = z.safeParse(z.looseObject({ version: z.number() }), given).data?.version
  if (version !== undefined && version > archiveVersion) throw new ArchiveProblem('newer')
  const head = parseWith(archiveHead, given)
  if (head.userId !== userId) throw new ArchiveProblem('other-account')
}

interface Owner {
  userId: string
  /** Epoch ms. */
  now: number
}

function readConversation(line: unknown, { userId, now }: Owner): ConversationDocument {
  const conversation = parseWith(conversationDocument, line)
  const { _id, readUpTo, deliveredUpTo, clearedUpTo } = conversation
  // A mark of the future would hide what is still to come.
  const isAhead = Math.max(readUpTo, deliveredUpTo, clearedUpTo) > now + dayMs
  if (_id === userId || isAhead) throw new ArchiveProblem('damaged')
  return conversation
}

function readMessage(line: unknown, { userId, now }: Owner): MessageDocument {
  const message = parseWith(messageDocument, line)
  const { peerId, senderId, recipientId, orderedAt } = message
  const isOwn =
    peerId !== userId &&
    ((senderId === userId && recipientId === peerId) ||
      (senderId === peerId && recipientId === userId))
  if (!isOwn || orderedAt > now + dayMs) throw new ArchiveProblem('damaged')
  return message
}

function parseWith<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new ArchiveProblem('damaged', parsed.error)
  return parsed.data
}
