import type { Privacy } from '../access/privacy.ts'
import { idsFrom } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'
import {
  type FileDocument,
  fileKey,
  groupHolder,
  groupSharePrefix,
  isFile,
  orphanedKey,
  orphanedUntil,
  ownedKey,
  parseMediaUrl,
  readGroupHolder,
  readGroupShare,
  shareKey,
} from './media-documents.ts'
import { type ArrivingFile, createMediaStore, type MediaStore } from './media-store.ts'
import { type ArrivingPart, createUnfinishedUploads } from './unfinished-uploads.ts'

const everyMs = 24 * 60 * 60 * 1000

const orphanedKeptMs = 24 * 60 * 60 * 1000

/** No upload takes this long: not the largest allowed, at the slowest accepted pace. */
const arrivingKeptMs = 4 * 24 * 60 * 60 * 1000

/** How long an interrupted resumable upload stays resumable. */
const unfinishedKeptMs = 4 * 24 * 60 * 60 * 1000

const marksAtOnce = 100

/** Somebody may have sent a file on into any number of groups. */
const groupSharesAtOnce = 100

export type Media = ReturnType<typeof createMedia>

/**
 * Uploaded files: who may see and forward them, and when they expire.
 * @param readPicture the address in a person's account, or in a group's record (`groupHolder`);
 * undefined or null when there is none
 * @param isShared other servers use the same database
 * @param inTurn how the sweep yields to requests; without it, runs at once
 * @param onFilesChanged called with the owner whose usage changed
 * @param showsGroupPicture may this person see the picture of this group, as its member or by the
 * code of its link?
 * @param readInGroups which addresses of files this person reads in these messages of groups
 * @param onError called with failures in the background
 */
export function createMedia(options: {
  storage: Storage
  privacy: Pick<Privacy, 'showsPicture'>
  readPicture: (ownerId: string) => Promise<string | null | undefined>
  isShared: boolean
  showsGroupPicture?: ShowsGroupPicture
  readInGroups?: ReadInGroups
  inTurn?: InTurn
  onFilesChanged?: (ownerId: string) => void
  onError: (error: unknown) => void
  now?: () => number
}) {
  const { storage, privacy, readPicture, isShared, onError, now = Date.now } = options
  const { inTurn = (step) => step(), onFilesChanged = () => undefined } = options
  const mediaStore = createMediaStore({ storage, now, onFilesChanged, onError })
  const unfinished = createUnfinishedUploads({ mediaStore, now, onFilesChanged })
  const { readInGroups = async () => [], showsGroupPicture = async () => false } = options
  const sharing = createMediaSharing({ mediaStore, readInGroups, now })
  const pictures = createPictures({ mediaStore, readPicture })
  const { keepPicture } = pictures
  const sweeper = createMediaSweep({
    mediaStore,
    isAlone: !isShared,
    now,
    inTurn,
    keepPicture,
    onError,
  })
  const arriving = new Set<Promise<unknown>>()

  /** Tracked, so that closing waits: nothing may be written once the storage is closed. */
  async function track<Result>(storing: Promise<Result>): Promise<Result> {
    arriving.add(storing)
    try {
      return await storing
    } finally {
      arriving.delete(storing)
    }
  }

  async function isVisible(file: FileDocument, viewerId: string, code?: string): Promise<boolean> {
    if (file.purpose === 'message') return await sharing.isSharedWith(file, viewerId)
    if (file.ownerId === viewerId) return true
    if (parseMediaUrl((await readPicture(file.ownerId)) ?? '') !== file.mediaId) return false
    const groupId = readGroupHolder(file.ownerId)
    if (groupId !== undefined) return await showsGroupPicture(viewerId, groupId, code)
    return await privacy.showsPicture(viewerId, file.ownerId)
  }

  return {
    mayShare: sharing.mayShare,
    shareMedia: sharing.shareMedia,
    releaseMedia: sharing.releaseMedia,
    settlePictures: pictures.settlePictures,
    remove: (mediaId: string) => mediaStore.remove(mediaId),
    read: mediaStore.read,
    readUsed: mediaStore.readUsed,
    sweep: sweeper.sweep,

    /** Stores an incoming file; see `createMediaStore`. */
    store: (file: ArrivingFile): Promise<FileDocument | undefined> => track(mediaStore.store(file)),

    /** The finished upload with this key of this person; undefined while incomplete. */
    findUploaded: mediaStore.findUploaded,

    /** Resumable uploads. */
    unfinished: { ...unfinished, take: (part: ArrivingPart) => track(unfinished.take(part)) },

    /**
     * A file by the id in its address, if this person may see it; undefined otherwise, whether or
     * not it exists.
     * @param code of the link into a group, which shows its picture
     */
    async find(
      mediaId: string,
      viewerId: string,
      code?: string,
    ): Promise<FileDocument | undefined> {
      const file = await mediaStore.findServed(mediaId)
      return file?.state === 'ready' && (await isVisible(file, viewerId, code)) ? file : undefined
    },

    /** Removes a departing person's pictures and unsent uploads. Files that they sent stay. */
    async deleteMediaOf(userId: string): Promise<void> {
      const owned = await mediaStore.database.range(idsFrom(`owned:${userId}:`))
      for (const { mediaId } of owned) {
        const file = (await mediaStore.database.read([fileKey(mediaId)])).get(fileKey(mediaId))
        if (!isFile(file)) continue
        if (file.purpose === 'message' && file.looseSince === undefined) continue
        await mediaStore.remove(mediaId)
      }
    },

    /** Waits until interrupted uploads are cleaned up, and ends the sweep. */
    async close(): Promise<void> {
      await Promise.allSettled(arriving)
      await sweeper.close()
    },
  }
}

/** Keeps one picture for each person and group: the one in the account or the group's record. */
function createPictures(options: {
  mediaStore: MediaStore
  readPicture: (ownerId: string) => Promise<string | null | undefined>
}) {
  const { mediaStore, readPicture } = options
  const { database } = mediaStore

  async function readCurrent(ownerId: string): Promise<string | undefined> {
    return parseMediaUrl((await readPicture(ownerId)) ?? '')
  }

  async function unmark(mediaId: string): Promise<void> {
    const file = await mediaStore.find(mediaId)
    if (file?.looseSince === undefined) return
    const mark = orphanedKey(file.looseSince, mediaId)
    await database.update([file._id, mark], (stored) => {
      const current = stored.get(file._id)
      if (!isFile(current) || current.state !== 'ready') return { result: undefined }
      const { looseSince, ...kept } = current
      const marks = stored.has(mark) ? [{ _id: mark, mediaId, _deleted: true as const }] : []
      return { put: [kept, ...marks], result: undefined }
    })
  }

  /**
   * Call when an account or a group names another picture: keeps that one, and removes earlier ones.
   */
  async function settlePictures(ownerId: string): Promise<void> {
    const named = await readCurrent(ownerId)
    if (named) await unmark(named)
    const prefix = ownedKey({ ownerId, purpose: 'picture', mediaId: '' })
    const owned = await database.range(idsFrom(prefix))
    const files = await database.read(owned.map(({ mediaId }) => fileKey(mediaId)))
    // Read it again: another of their devices may have chosen one of these meanwhile.
    const current = await readCurrent(ownerId)
    for (const file of files.values()) {
      // An orphaned one is still uploading, or not in the account yet; the sweep handles it.
      if (!isFile(file) || file.mediaId === current || file.looseSince !== undefined) continue
      await mediaStore.remove(file.mediaId)
    }
  }

  return {
    settlePictures,

    /**
     * For an orphaned picture: true, and no longer orphaned, when its owner's account names it after
     * all.
     */
    async keepPicture({ ownerId, mediaId }: FileDocument): Promise<boolean> {
      if ((await readCurrent(ownerId)) !== mediaId) return false
      await settlePictures(ownerId)
      return true
    },
  }
}

type ShowsGroupPicture = (
  viewerId: string,
  groupId: string,
  code: string | undefined,
) => Promise<boolean>

type InTurn = <Result>(step: () => Promise<Result>) => Promise<Result>

/**
 * Removes files without references after a day, what crashes left of uploads, and abandoned
 * resumable uploads.
 * @param isAlone no other server uses the database: then every upload older than the start is
 * broken
 * @param inTurn runs the step for one file when others have had their turn
 * @param keepPicture for a possible profile picture: true when it is one, and then no longer
 * orphaned
 */
function createMediaSweep(options: {
  mediaStore: MediaStore
  isAlone: boolean
  now: () => number
  inTurn: InTurn
  keepPicture: (file: FileDocument) => Promise<boolean>
  onError: (error: unknown) => void
}) {
  const { mediaStore, isAlone, now, inTurn, keepPicture, onError } = options
  const { database } = mediaStore
  const startedAt = now()
  const state = { isClosed: false, sweep: undefined as Promise<number> | undefined }
  const timer = setInterval(() => sweep().catch(onError), everyMs).unref()

  /** @returns how many files it removed */
  function sweep(): Promise<number> {
    state.sweep ??= sweepAll().finally(() => {
      state.sweep = undefined
    })
    return state.sweep
  }

  async function sweepAll(): Promise<number> {
    const readyUntil = now() - orphanedKeptMs
    const arrivingUntil = isAlone ? startedAt - 1 : now() - arrivingKeptMs
    const unfinishedUntil = now() - unfinishedKeptMs
    const range = orphanedUntil(Math.max(readyUntil, arrivingUntil))
    const isDue = (file: FileDocument) => {
      const isUnfinished = file.state === 'arriving' && file.isInPieces
      const until = isUnfinished ? unfinishedUntil : arrivingUntil
      return (file.looseSince ?? 0) <= (file.state === 'ready' ? readyUntil : until)
    }
    let taken = 0
    let { startkey } = range
    while (!state.isClosed) {
      const marks = await database.range({ ...range, startkey, limit: marksAtOnce })
      for (const { _id, mediaId } of marks) {
        if (state.isClosed) return taken
        if (await inTurn(() => sweepOne({ markId: _id, mediaId, isDue }))) taken += 1
      }
      const last = marks.at(-1)
      if (!last || marks.length < marksAtOnce) break
      startkey = idsFrom(last._id).endkey
    }
    return taken
  }

  async function sweepOne(mark: {
    markId: string
    mediaId: string
    isDue: (file: FileDocument) => boolean
  }): Promise<boolean> {
    const { markId, mediaId, isDue } = mark
    const file = await mediaStore.find(mediaId)
    const isOfNow =
      file?.looseSince !== undefined && orphanedKey(file.looseSince, mediaId) === markId
    if (!file || !isOfNow) {
      if (!file) await mediaStore.remove(mediaId)
      await database.update([markId], (stored) => ({
        put: stored.has(markId) ? [{ _id: markId, mediaId, _deleted: true }] : [],
        result: undefined,
      }))
      return false
    }
    if (!isDue(file)) return false
    if (file.state === 'ready' && file.purpose === 'picture' && (await keepPicture(file))) {
      return false
    }
    const { looseSince } = file
    await mediaStore.remove(mediaId, (current) => current.looseSince !== looseSince)
    return true
  }

  return {
    sweep,
    /** Ends after the current file. */
    async close() {
      state.isClosed = true
      clearInterval(timer)
      await state.sweep?.catch(() => undefined)
    },
  }
}

type ReadInGroups = (
  userId: string,
  messages: readonly { groupId: string; messageId: string }[],
) => Promise<readonly string[]>

/**
 * A message with a file. `recipientId` is absent if the recipient does not get it, as when
 * blocking; in a group `groupId` stands for all its members.
 */
interface SharedMessage {
  mediaUrl: string
  messageId: string
  senderId: string
  recipientId?: string | undefined
  groupId?: string | undefined
}

/**
 * Tracks who shares a file: its owner, and everybody with a message that has it. Each message adds
 * a reference for each of its two people, or one for its group; a file without any is orphaned, and
 * expires after a day.
 */
function createMediaSharing(options: {
  mediaStore: MediaStore
  readInGroups: ReadInGroups
  now: () => number
}) {
  const { mediaStore, readInGroups, now } = options
  const { database } = mediaStore

  async function hasReference(mediaId: string, userId = ''): Promise<boolean> {
    const start = userId ? `share:${mediaId}:${userId}:` : `share:${mediaId}:`
    return (await database.range({ ...idsFrom(start), limit: 1 })).length > 0
  }

  async function isSharedWith(file: FileDocument, userId: string): Promise<boolean> {
    if (file.ownerId === userId || (await hasReference(file.mediaId, userId))) return true
    return await isInTheirGroup(file, userId)
  }

  /** Does this person read a message with the file in a group? Its reference alone says nothing. */
  async function isInTheirGroup({ mediaId, servedId }: FileDocument, userId: string) {
    const range = idsFrom(groupSharePrefix(mediaId))
    let { startkey } = range
    for (;;) {
      const page = await database.range({ ...range, startkey, limit: groupSharesAtOnce })
      const read = page.length > 0 ? await readInGroups(userId, page.map(readGroupShare)) : []
      const ids = read.map(parseMediaUrl)
      if (ids.some((id) => id !== undefined && (id === mediaId || id === servedId))) return true
      const last = page.at(-1)
      if (!last || page.length < groupSharesAtOnce) return false
      startkey = idsFrom(last._id).endkey
    }
  }

  async function findShareable(mediaUrl: string, senderId: string) {
    const mediaId = parseMediaUrl(mediaUrl)
    const file = mediaId === undefined ? undefined : await mediaStore.findServed(mediaId)
    if (file?.state !== 'ready' || file.purpose !== 'message') return undefined
    return (await isSharedWith(file, senderId)) ? file : undefined
  }

  return {
    isSharedWith,

    /** May this person put the file into a message? Its owner and its recipients may. */
    async mayShare({ mediaUrl, senderId }: Pick<SharedMessage, 'mediaUrl' | 'senderId'>) {
      return (await findShareable(mediaUrl, senderId)) !== undefined
    },

    /**
     * Gives all who read a message access to its file; call before delivery. Idempotent.
     * @returns false when the sender may not share it, or it does not exist: refuse with
     * `media_not_allowed`
     */
    async shareMedia({ mediaUrl, messageId, senderId, recipientId, groupId }: SharedMessage) {
      const file = await findShareable(mediaUrl, senderId)
      if (!file) return false
      const { mediaId } = file
      const people = recipientId === undefined ? [senderId] : [senderId, recipientId]
      const holders = groupId === undefined ? people : [groupHolder(groupId)]
      const references = holders.map((userId) => ({
        _id: shareKey({ mediaId, userId, messageId }),
        mediaId,
      }))
      const mark = orphanedKey(file.looseSince ?? 0, mediaId)
      const ids = [file._id, mark, ...references.map(({ _id }) => _id)]
      const { result } = await database.update(ids, (stored) => {
        const current = stored.get(file._id)
        if (!isFile(current) || current.state !== 'ready') return { result: false }
        if (references.every(({ _id }) => stored.has(_id))) return { result: true }
        const { looseSince, ...rest } = current
        const shared = { ...rest, sharedAt: now() }
        const unmarked = stored.has(mark) ? [{ _id: mark, mediaId, _deleted: true as const }] : []
        return { put: [...references, ...unmarked, shared], result: true }
      })
      return result
    },

    /**
     * Revokes access to the file of a deleted message; call before blanking the copies. Another
     * message with the same file preserves access. Without any message left the file is orphaned.
     */
    async releaseMedia(message: {
      mediaUrl: string
      messageId: string
      userIds?: readonly string[]
      groupId?: string
    }) {
      const { messageId, groupId, userIds = [] } = message
      const holders = groupId === undefined ? userIds : [groupHolder(groupId)]
      const servedId = parseMediaUrl(message.mediaUrl)
      const before = servedId === undefined ? undefined : await mediaStore.findServed(servedId)
      if (!before) return
      const { mediaId } = before
      const ids = holders.map((userId) => shareKey({ mediaId, userId, messageId }))
      await database.update(ids, (stored) => ({
        put: [...stored.keys()].map((_id) => ({ _id, mediaId, _deleted: true as const })),
        result: undefined,
      }))
      if (before.looseSince !== undefined || (await hasReference(mediaId))) return
      const looseSince = now()
      const mark = { _id: orphanedKey(looseSince, mediaId), mediaId }
      await database.update([fileKey(mediaId), mark._id], (stored) => {
        const file = stored.get(fileKey(mediaId))
        // Shared again meanwhile: not orphaned.
        if (!isFile(file) || file.sharedAt !== before.sharedAt) return { result: undefined }
        return { put: [mark, { ...file, looseSince }], result: undefined }
      })
    },
  }
}
