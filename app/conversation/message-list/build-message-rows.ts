import { type GroupMessageDocument, lineOf } from '../../../schema/api/groups.ts'
import { lockOf } from '../../../schema/encryption/sealed-part.ts'
import {
  isAccepted,
  isIncoming,
  isSticker,
  type MessageDocument,
  placeInTime,
} from '../../../schema/message.ts'
import { formatDay, startOfDay } from '../../ui/format/format-times.ts'

export interface MessageRow {
  /** Of an album the first. */
  message: MessageDocument
  /** What became of the group, where that stands in a message's place. */
  line?: GroupMessageDocument['line']
  /** Pictures and videos sent together, two or more: they are one row. */
  album?: readonly MessageDocument[]
  /** The start of the message's day, epoch ms. */
  day: number
  /** The date header above it, for the first message of a day. */
  dayLabel?: string
  /** May its day have begun before it? Its header here would go, and move the list, with older messages. */
  isAmidDay?: true
  isFirstUnread: boolean
  /** Is the previous row of another author or day, or the unread line? */
  startsGroup: boolean
  /** Does its author's name stand in it? In a group, above the first of somebody else's. */
  showsAuthor?: true
  /** Did the other person's key change after it, before the next message? */
  isKeyChangedAfter?: true
  /** Is it the last that is not encrypted, of those that the conversation began with? */
  isEncryptedAfter?: true
  /** Is it the line that a group begins with, which was encrypted from its first message on? */
  isEncryptedThroughout?: true
}

interface RowOptions {
  /** In a group: whose device this is. Everybody else's messages have their author's name. */
  ownIdInGroup?: string | undefined
  firstUnreadId: string | undefined
  /** The start of today, epoch ms. */
  today: number
  /** When the other person's key changed, epoch ms, oldest first. */
  keyChanges?: readonly number[]
  /** Are the newest messages among these? Else a later change stands further down. */
  holdsNewest?: boolean
  /** Does what is written now leave sealed? Else nothing is said of encryption. */
  isEncrypted?: boolean
  /** Is the conversation's oldest message among these? */
  holdsOldest?: boolean
}

/**
 * So many that are not encrypted, in a row, are a conversation's beginning, whatever came before
 * them: fewer may be a script's, amid sealed ones.
 */
const beginningLength = 20

/** The rows of a window's messages, oldest first: under date headers, in groups of one author. */
export function buildMessageRows(
  messages: readonly MessageDocument[],
  options: RowOptions,
): MessageRow[] {
  const { ownIdInGroup, firstUnreadId, today, keyChanges = [], holdsNewest = false } = options
  const lastPlain = findLastPlain(messages, options)
  const before: { day?: number; senderId?: string | undefined } = {}
  const rows: MessageRow[] = []
  for (const message of messages) {
    const own = startOfDay(placeInTime(message))
    // A pending message is below those that arrived meanwhile, even on a later day.
    const day = isAccepted(message) ? own : Math.max(own, before.day ?? own)
    const startsDay = day !== before.day
    const isFirstUnread = message._id === firstUnreadId
    const last = rows.at(-1)
    const isChanged = keyChanges.some(
      (at) => last && placeInTime(newestOf(last)) <= at && at < placeInTime(message),
    )
    if (last && isChanged) last.isKeyChangedAfter = true
    const isEncryptedFromHere = last !== undefined && newestOf(last) === lastPlain
    if (isEncryptedFromHere) last.isEncryptedAfter = true
    const startsGroup =
      startsDay ||
      isFirstUnread ||
      isChanged ||
      isEncryptedFromHere ||
      message.senderId !== before.senderId
    before.day = day
    const line = lineOf(message)
    before.senderId = line ? undefined : message.senderId
    if (last && !startsGroup && joinsAlbum(last, message)) {
      last.album = [...(last.album ?? [last.message]), message]
      continue
    }
    const row: MessageRow = { message, day, isFirstUnread, startsGroup }
    if (line) row.line = line
    else if (startsGroup && ownIdInGroup !== undefined && isIncoming(message, ownIdInGroup)) {
      row.showsAuthor = true
    }
    if (startsDay) row.dayLabel = formatDay(day, today)
    if (!last && options.holdsOldest === false) row.isAmidDay = true
    rows.push(row)
  }
  const end = rows.at(-1)
  if (end && holdsNewest && keyChanges.some((at) => placeInTime(newestOf(end)) <= at)) {
    end.isKeyChangedAfter = true
  }
  if (end && newestOf(end) === lastPlain) end.isEncryptedAfter = true
  const [first] = rows
  const { isEncrypted = false, holdsOldest = false } = options
  if (first?.line && isEncrypted && holdsOldest && !lastPlain) first.isEncryptedThroughout = true
  return rows
}

/**
 * The last of the messages that are not encrypted, where the conversation began with such: on an
 * older account's chats, say. What follows is sealed; nothing may follow yet.
 */
function findLastPlain(
  messages: readonly MessageDocument[],
  { isEncrypted = false, holdsOldest = false, holdsNewest = false }: RowOptions,
): MessageDocument | undefined {
  if (!isEncrypted) return undefined
  // What waits to leave is sealed by then, and a deleted one says nothing.
  const isSealed = ({ sealed, status }: MessageDocument) =>
    sealed !== undefined || status === 'sending'
  // What became of a group is never sealed: its server decides it.
  const isTelling = (message: MessageDocument) =>
    message.deletedAt === undefined && message.status !== 'failed' && !lineOf(message)
  const telling = messages.filter((message) => isSealed(message) || isTelling(message))
  const firstSealed = telling.findIndex(isSealed)
  const length = firstSealed === -1 ? telling.length : firstSealed
  const isBeginning = holdsOldest || length >= beginningLength
  if (!isBeginning || (firstSealed === -1 && !holdsNewest)) return undefined
  return telling[length - 1]
}

/** The newest message of a row. */
export function newestOf({ message, album }: MessageRow): MessageDocument {
  return album?.at(-1) ?? message
}

/** A row's message by its id. */
export function findInRow(row: MessageRow, messageId: string): MessageDocument | undefined {
  return (row.album ?? [row.message]).find(({ _id }) => _id === messageId)
}

/** Pictures chosen together are stored within this time of each other, also on a slow device. */
const albumGapMs = 15_000

/** Only the first of an album answers a message, and only the last has a caption. */
function joinsAlbum(row: MessageRow, message: MessageDocument): boolean {
  const before = newestOf(row)
  return (
    isAlbumPart(before) &&
    isAlbumPart(message) &&
    // Both or neither: an album says once whether it is encrypted.
    (before.sealed === undefined) === (message.sealed === undefined) &&
    before.content === '' &&
    message.replyTo === undefined &&
    Math.abs(message.createdAt - before.createdAt) <= albumGapMs
  )
}

/** One that failed, was refused or is locked stands alone, with the reason. */
function isAlbumPart(message: MessageDocument): boolean {
  const { type, file, deletedAt, isWhatsApp, status, refused } = message
  return (
    (type === 'image' || type === 'video') &&
    file !== undefined &&
    deletedAt === undefined &&
    !isSticker(message) &&
    !isWhatsApp &&
    status !== 'failed' &&
    refused === undefined &&
    lockOf(message) === undefined
  )
}
