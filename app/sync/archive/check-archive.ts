import { Inflate } from 'fflate'
import * as z from 'zod/mini'
import { groupMessageDocument } from '../../../schema/api/groups.ts'
import { type ConversationDocument, conversationDocument } from '../../../schema/conversation.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { publicUser } from '../../../schema/user.ts'
import type { KnownGroup, KnownPerson } from '../../database/storage/known-peer.ts'
import type { StoredDraft } from '../../database/storage/open-device-store.ts'
import {
  type ArchivedFile,
  archivedFile,
  archivedGroup,
  archiveFormat,
  archiveHead,
  archiveParts,
  archiveVersion,
  groupsPart,
  laterParts,
} from './archive-format.ts'
import { ArchiveProblem } from './archive-problem.ts'
import { archivedDraft } from './archived-drafts.ts'
import { type ArchivedPicture, archivedPicture } from './archived-pictures.ts'
import { readJson, readLines } from './json-lines.ts'
import { crc32, readChunks } from './zip-writer.ts'

const mostEntries = 200_000

/** What is read at once, as its unpacked form may be a thousand times as large. */
const pushedBytes = 16 * 1024

/** Chats pack well, but not like this: such a file only wants to fill the device. */
const mostRatio = 200

const freeBytes = 64 * 1024 * 1024

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

  const hasGroups = version > 2
  const groups = new Map<string, KnownGroup>()
  if (hasGroups) {
    for await (const group of list(groupsPart, (line) => parseWith(archivedGroup, line))) {
      groups.set(group._id, group as KnownGroup)
    }
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
  if (hasGroups) expected.add(groupsPart)
  for (const { path } of [...files.values(), ...pictures.values()]) expected.add(path)
  if (expected.size !== entries.size || [...entries.keys()].some((name) => !expected.has(name))) {
    throw new ArchiveProblem('damaged')
  }

  return {
    files,
    groups: groups as ReadonlyMap<string, KnownGroup>,
    pictures,
    people: readPeople,
    async *drafts(): AsyncGenerator<StoredDraft> {
      if (hasLater) yield* list(laterParts.drafts, (line) => readDraft(line, now))
    },
    conversations: () =>
      list(archiveParts.conversations, (line) => readConversation(line, { userId, now })),
    messages: () =>
      list(archiveParts.messages, (line) => readMessage(line, { userId, now, groups })),
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

function readMessage(
  line: unknown,
  { userId, now, groups }: Owner & { groups: ReadonlyMap<string, KnownGroup> },
): MessageDocument {
  const message = parseWith(groupMessageDocument, line)
  const { peerId, senderId, recipientId, orderedAt } = message
  const isOwn =
    peerId !== userId &&
    ((senderId === userId && recipientId === peerId) ||
      (senderId === peerId && recipientId === userId) ||
      (groups.has(peerId) && recipientId === peerId))
  if (!isOwn || orderedAt > now + dayMs) throw new ArchiveProblem('damaged')
  return message
}

function parseWith<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new ArchiveProblem('damaged', parsed.error)
  return parsed.data
}

export interface ZipEntry {
  name: string
  size: number
  packed: number
  method: number
  crc: number
  offset: number
}

/**
 * Reads the directory of a zip.
 * @throws ArchiveProblem `no-zip`, `damaged`, or `too-large` for what unpacks without end
 */
export async function openZip(blob: Blob): Promise<ReadonlyMap<string, ZipEntry>> {
  const tailAt = Math.max(0, blob.size - 65_557)
  const tail = await readView(blob.slice(tailAt))
  let end = tail.byteLength - 22
  while (end >= 0 && tail.getUint32(end, true) !== 0x06054b50) end -= 1
  if (end < 0) throw new ArchiveProblem('no-zip')
  const [size, begin] = [tail.getUint32(end + 12, true), tail.getUint32(end + 16, true)]
  if (begin + size > blob.size || size > mostEntries * 512) throw new ArchiveProblem('damaged')
  const entries = readDirectory(await readView(blob.slice(begin, begin + size)))
  const sum = (pick: (entry: ZipEntry) => number) =>
    [...entries.values()].reduce((total, entry) => total + pick(entry), 0)
  // Entries that share their bytes are how a small file unpacks without end.
  if (sum(({ packed }) => packed) > blob.size) throw new ArchiveProblem('damaged')
  if (sum((entry) => entry.size) > freeBytes + blob.size * mostRatio) {
    throw new ArchiveProblem('too-large')
  }
  return entries
}

/**
 * An entry's bytes, unpacked and checked.
 * @throws ArchiveProblem `damaged`, at the latest after the last piece
 */
export async function* readEntry(blob: Blob, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const head = await readView(blob.slice(entry.offset, entry.offset + 30))
  if (head.byteLength < 30 || head.getUint32(0, true) !== 0x04034b50) {
    throw new ArchiveProblem('damaged')
  }
  const from = entry.offset + 30 + head.getUint16(26, true) + head.getUint16(28, true)
  if (from + entry.packed > blob.size) throw new ArchiveProblem('damaged')
  let crc = 0
  let size = 0
  for await (const piece of unpack(blob.slice(from, from + entry.packed), entry.method)) {
    crc = crc32(piece, crc)
    size += piece.length
    if (size > entry.size) throw new ArchiveProblem('damaged')
    yield piece
  }
  if (size !== entry.size || crc !== entry.crc) throw new ArchiveProblem('damaged')
}

async function* unpack(packed: Blob, method: number): AsyncGenerator<Uint8Array> {
  if (method === 0) return yield* readChunks(packed)
  if (method !== 8) throw new ArchiveProblem('damaged')
  let ready: Uint8Array[] = []
  const inflate = new Inflate((piece) => {
    if (piece.length > 0) ready.push(piece)
  })
  const push = (chunk: Uint8Array, isLast: boolean) => {
    try {
      inflate.push(chunk, isLast)
    } catch (cause) {
      throw new ArchiveProblem('damaged', cause)
    }
    const pieces = ready
    ready = []
    return pieces
  }
  for await (const chunk of readChunks(packed)) {
    for (let at = 0; at < chunk.length; at += pushedBytes) {
      yield* push(chunk.subarray(at, at + pushedBytes), false)
    }
  }
  yield* push(new Uint8Array(), true)
}

function readDirectory(view: DataView): Map<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>()
  const decoder = new TextDecoder()
  let at = 0
  while (at < view.byteLength) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== 0x02014b50) {
      throw new ArchiveProblem('damaged')
    }
    const nameLength = view.getUint16(at + 28, true)
    const next =
      at + 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    if (next > view.byteLength) throw new ArchiveProblem('damaged')
    const name = decoder.decode(new Uint8Array(view.buffer, view.byteOffset + at + 46, nameLength))
    if (entries.has(name) || entries.size >= mostEntries) throw new ArchiveProblem('damaged')
    entries.set(name, {
      name,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    })
    at = next
  }
  return entries
}

async function readView(blob: Blob): Promise<DataView> {
  return new DataView(await blob.arrayBuffer())
}
