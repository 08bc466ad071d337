import * as z from 'zod/mini'
import { type ConversationDocument, conversationDocument } from '../../../schema/conversation.ts'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { publicUser } from '../../../schema/user.ts'
import type { KnownPerson } from '../../database/storage/known-person.ts'
import type { StoredDraft } from '../../database/storage/open-device-store.ts'
import {
  type ArchivedFile,
  archivedFile,
  archiveFormat,
  archiveHead,
  archiveParts,
  archiveVersion,
  laterParts,
} from './archive-format.ts'
import { archivedDraft } from './archived-drafts.ts'
import { type ArchivedPicture, archivedPicture } from './archived-pictures.ts'
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
  const version = checkHead(await readJson(readEntry(zip, headEntry)), userId)
  const list = async function* <Document>(
    name: string,
    read: (line: unknown) => Document,
  ): AsyncGenerator<Document> {
    for await (const line of readLines(readEntry(zip, find(name)))) yield read(line)
  }

  const readPeople = () =>
    list(archiveParts.people, (line) => parseWith(knownPerson, line) as KnownPerson)

  /** The picture that each person has, and one's own. */
  async function readAddresses() {
    const profile = parseWith(
      z.looseObject({ _id: z.string(), profilePicture: z.nullish(z.string()) }),
      await readJson(readEntry(zip, find(archiveParts.profile))),
    )
    const addresses = [[profile._id, profile.profilePicture]] as [string, unknown][]
    for await (const { _id, profilePicture } of readPeople()) addresses.push([_id, profilePicture])
    return addresses
  }

  const files = new Map<string, ArchivedFile>()
  for await (const file of list(archiveParts.files, (line) => parseWith(archivedFile, line))) {
    if (files.has(file.messageId) || find(file.path).size !== file.size) {
      throw new ArchiveProblem('damaged')
    }
    files.set(file.messageId, file)
  }
  const hasLater = version > 1
  const pictures = new Map<string, ArchivedPicture>()
  if (hasLater) {
    const owners = new Map(await readAddresses())
    for await (const picture of list(laterParts.pictures, (line) =>
      parseWith(archivedPicture, line),
    )) {
      const { userId, address, path, size } = picture
      const isFirst = !pictures.has(userId) && owners.get(userId) === address
      if (!isFirst || find(path).size !== size) throw new ArchiveProblem('damaged')
      pictures.set(userId, picture)
    }
  }
  const expected = new Set<string>(Object.values(archiveParts))
  for (const part of hasLater ? Object.values(laterParts) : []) expected.add(part)
  for (const { path } of [...files.values(), ...pictures.values()]) expected.add(path)
  if (expected.size !== entries.size || [...entries.keys()].some((name) => !expected.has(name))) {
    throw new ArchiveProblem('damaged')
  }

  return {
    files,
    pictures,
    people: readPeople,
    async *drafts(): AsyncGenerator<StoredDraft> {
      if (hasLater) yield* list(laterParts.drafts, (line) => readDraft(line, now))
    },
    conversations: () =>
      list(archiveParts.conversations, (line) => readConversation(line, { userId, now })),
    messages: () => list(archiveParts.messages, (line) => readMessage(line, { userId, now })),
    readFile: ({ path }: Pick<ArchivedFile, 'path'>) => readEntry(zip, find(path)),
  }
}

/** @returns the version of the format */
function checkHead(given: unknown, userId: string): number {
  const isOurs = z.safeParse(z.looseObject({ format: z.literal(archiveFormat) }), given).success
  if (!isOurs) throw new ArchiveProblem('no-archive')
  const version = z.safeParse(z.looseObject({ version: z.number() }), given).data?.version
  if (version !== undefined && version > archiveVersion) throw new ArchiveProblem('newer')
  const head = parseWith(archiveHead, given)
  if (head.userId !== userId) throw new ArchiveProblem('other-account')
  return head.version
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

function readDraft(line: unknown, now: number): StoredDraft {
  const draft = parseWith(archivedDraft, line)
  // One of the future would win over all that is written from now on.
  if (draft.at > now + dayMs) throw new ArchiveProblem('damaged')
  return draft
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
