import { groupMessageDocument } from '../../../schema/api/groups.ts'
import { conversationDocument } from '../../../schema/conversation.ts'
import { sealedFileName } from '../../../schema/encryption/sealed-part.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { createFileStore } from '../../database/files/file-store.ts'
import type { CommandContext } from '../../database/storage/collections.ts'
import { readDexie } from '../../database/storage/dexie/owed-notes.ts'
import type { PeopleStore } from '../../database/storage/people-store.ts'
import { readDocuments } from '../../database/storage/read-documents.ts'
import { fromStoredMessage, type StoredMessage } from '../../database/storage/stored-message.ts'
import { readConversations } from '../../database/views/read-conversations.ts'
import { downloadFile } from '../files/file-access.ts'
import type { RequestCalls } from '../requests/request-calls.ts'
import {
  type Archive,
  type ArchivedFile,
  type ArchiveHead,
  archiveFormat,
  archiveParts,
  archiveVersion,
  groupsPart,
  laterParts,
  nameArchivedFile,
} from './archive-format.ts'
import { listDrafts } from './archived-drafts.ts'
import { savePictures } from './archived-pictures.ts'
import { writeLines } from './json-lines.ts'
import { createZipWriter } from './zip-writer.ts'

const batch = 200

type FileFacts = Pick<MessageDocument, '_id' | 'mediaUrl' | 'file' | 'sealed'>

/** Writes everything of this person that is on this device into one zip. */
export async function saveArchive(
  options: {
    context: CommandContext
    calls: Pick<RequestCalls, 'messages'>
    pictures: PeopleStore['pictures']
  },
  asked: Parameters<Archive['save']>[0],
): ReturnType<Archive['save']> {
  const { context, calls } = options
  const { profile, loadsMissing, signal, onProgress } = asked
  const { database, userId, now } = context
  const zip = createZipWriter({ now })
  const at = new Date(now()).toISOString()
  const head: ArchiveHead = {
    format: archiveFormat,
    version: archiveVersion,
    userId,
    username: profile.username,
    exportedAt: at,
  }
  const { head: first, ...parts } = archiveParts
  await zip.addText(first, [writeJson(head)])
  await zip.addText(parts.profile, [writeJson(profile)])
  await zip.addText(parts.settings, [writeJson(profile.settings)])
  // Who has looked at their own chat's address knows themselves, too.
  const people = (await database.device.people.toArray()).filter(({ _id }) => _id !== userId)
  await zip.addText(parts.people, writeLines(people))
  await zip.addText(groupsPart, writeLines(await database.device.groups.toArray()))
  await zip.addText(laterParts.drafts, writeLines(await listDrafts(database.device.drafts)))
  const pictures = await savePictures({
    ...options,
    table: options.pictures,
    ...asked,
    people,
    zip,
  })
  await zip.addText(laterParts.pictures, writeLines(pictures))

  const wanted = await listFiles(context, signal)
  const store = createFileStore(context)
  const files: ArchivedFile[] = []
  const addresses = new Set<string>()
  let missingCount = 0
  for (const [index, message] of wanted.entries()) {
    signal.throwIfAborted()
    onProgress({ stage: 'files', done: index, total: wanted.length })
    const { _id: messageId, mediaUrl } = message
    // A forward shows the same file: once is enough.
    if (mediaUrl !== undefined && addresses.has(mediaUrl)) continue
    const file =
      (await store.read(message).catch(() => undefined)) ??
      (loadsMissing && mediaUrl !== undefined && !isLocked(message)
        ? await downloadFile({ calls, mediaUrl, file: message.file, signal }).catch(() => undefined)
        : undefined)
    signal.throwIfAborted()
    const path = nameArchivedFile(messageId, message.file?.name)
    if (!file || !zip.hasRoomFor(file.size) || !(await zip.addFile(path, file, signal))) {
      missingCount += 1
      continue
    }
    if (mediaUrl !== undefined) addresses.add(mediaUrl)
    files.push({ messageId, path, mimeType: file.type, size: file.size })
  }
  await zip.addText(parts.files, writeLines(files))

  const conversations = await readConversations(database.conversations)
  const readable = conversations.filter((one) => conversationDocument.safeParse(one).success)
  await zip.addText(parts.conversations, writeLines(readable))
  const { documents } = await openDocuments(context)
  const total = await documents.count()
  let messageCount = 0
  async function* messages() {
    for await (const page of walkMessages(context, signal)) {
      for (const message of page) yield message
      messageCount += page.length
      onProgress({ stage: 'messages', done: messageCount, total })
    }
  }
  await zip.addText(parts.messages, writeLines(messages()))
  const name = profile.username.replace(/[^\p{L}\p{N}_-]+/gu, '-')
  return {
    zip: zip.finish(),
    name: `petrel-${name}-${at.slice(0, 10)}.zip`,
    messageCount,
    fileCount: files.length,
    missingCount,
  }
}

function writeJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** The messages with a file; those whose file is stored under them come first. */
async function listFiles(context: CommandContext, signal: AbortSignal): Promise<FileFacts[]> {
  const held = new Set(await createFileStore(context).listMessageIds())
  const [own, others]: [FileFacts[], FileFacts[]] = [[], []]
  for await (const page of walkMessages(context, signal)) {
    for (const { _id, mediaUrl, file, type, deletedAt, sealed } of page) {
      if (deletedAt !== undefined) continue
      if (held.has(_id)) own.push({ _id, mediaUrl, file, sealed })
      else if (type !== 'text' && mediaUrl !== undefined)
        others.push({ _id, mediaUrl, file, sealed })
    }
  }
  return [...own, ...others]
}

/** The key of its file lies in words that are not open here. */
function isLocked({ file, sealed }: FileFacts): boolean {
  return sealed !== undefined && file?.key === undefined && file?.name === sealedFileName
}

async function openDocuments({ database }: CommandContext) {
  const dexie = await readDexie(database.messages.storageInstance)
  return { documents: dexie.table<StoredMessage, string>('docs') }
}

/** Every message of this device in pages, by id: a write meanwhile moves nothing. */
async function* walkMessages(
  context: CommandContext,
  signal: AbortSignal,
): AsyncGenerator<MessageDocument[]> {
  const { documents } = await openDocuments(context)
  let last = ''
  for (;;) {
    signal.throwIfAborted()
    const ids = await documents.where(':id').above(last).limit(batch).primaryKeys()
    if (ids.length === 0) return
    last = ids.at(-1) ?? last
    const found = await readDocuments(context.database.messages, ids)
    yield [...found.values()].flatMap((stored) => {
      // A secret of a group opens nothing for who reads the export.
      if (stored.epoch) return []
      // One that this version cannot read is kept for a later one, on the server too.
      const message = groupMessageDocument.safeParse(fromStoredMessage(stored))
      return message.success ? [message.data] : []
    })
  }
}
