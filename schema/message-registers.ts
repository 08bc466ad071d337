import * as z from 'zod/mini'
import type { Mention } from './helpers/mentions.ts'
import { type MessageDocument, messageDocument, type RefusedChange } from './message.ts'
import type { Reactions } from './reaction.ts'

/** How two versions of a register become one (P5), each for values of one type. */
interface Mergeable {
  /** The later time wins, then the greater value. */
  latest: string | number | boolean | Mention[]
  /** The least wins: once set, it stays. */
  earliest: number
  /** Of each person's entry the later one wins, then the greater. */
  latestOfEach: Reactions
  /** The later refusal wins, then the dismissed one. */
  latestRefusal: RefusedChange
  /** Every entry once, oldest first. */
  union: MessageDocument['statusHistory']
}
export type Merge = keyof Mergeable

/**
 * Who may change a register. `either`: both people, where it is shared once both have the message.
 * `each`: both people, their own entry. `server`: no device.
 */
type Changer = 'author' | 'either' | 'each' | 'server'

/** What a deletion leaves of a register. */
type Deletion = 'stays' | 'blank' | 'blankAtItsTime'

type MessageField = keyof MessageDocument
type FieldsOf<Value> = {
  [F in MessageField]-?: NonNullable<MessageDocument[F]> extends Value ? F : never
}[MessageField]
type TimeField = FieldsOf<number>

interface Columns {
  by: Changer
  /** Has the other person's copy the same value, or one of its own? */
  copy: 'shared' | 'own'
  deletion: Deletion
}

/** A row; `at`: the field with the epoch ms of the last change, clamped to the server's time. */
type Row<F extends MessageField> = Columns &
  { [M in Merge]: MessageDocument[F] extends Mergeable[M] | undefined ? RowOf<M> : never }[Merge] &
  (undefined extends MessageDocument[F]
    ? { blank?: undefined }
    : { blank: NonNullable<MessageDocument[F]> })
type RowOf<M extends Merge> = M extends 'latest' | 'earliest'
  ? { merge: M; at: TimeField }
  : { merge: M; at?: undefined }

/**
 * Everything in a message that can change by itself, a row each. Merge, permission, clamping,
 * blanking, copies and the properties in the tests read this table. `blank`: the value of a message
 * without it; an optional field is absent then.
 */
const messageRegisters = {
  statusHistory: {
    merge: 'union',
    by: 'server',
    copy: 'own',
    deletion: 'stays',
    blank: [],
  },
  content: {
    at: 'editedAt',
    merge: 'latest',
    by: 'author',
    copy: 'shared',
    deletion: 'blank',
    blank: '',
  },
  // The same words, in an encrypted message: an edit replaces both, at the same time.
  sealed: { at: 'editedAt', merge: 'latest', by: 'author', copy: 'shared', deletion: 'blank' },
  // The people named in the words, replaced with them.
  mentions: { at: 'editedAt', merge: 'latest', by: 'author', copy: 'shared', deletion: 'blank' },
  isStarred: {
    at: 'isStarredAt',
    merge: 'latest',
    by: 'either',
    copy: 'own',
    deletion: 'blankAtItsTime',
    blank: false,
  },
  // Deleted for its owner alone.
  isHidden: {
    at: 'isHiddenAt',
    merge: 'latest',
    by: 'either',
    copy: 'own',
    deletion: 'stays',
  },
  deletedAt: {
    at: 'deletedAt',
    merge: 'earliest',
    by: 'author',
    copy: 'shared',
    deletion: 'stays',
  },
  // The server writes it into the author's copy; its owner dismisses it.
  refused: { merge: 'latestRefusal', by: 'either', copy: 'own', deletion: 'stays' },
  reactions: { merge: 'latestOfEach', by: 'each', copy: 'shared', deletion: 'blank' },
} as const satisfies { [F in MessageField]?: Row<F> }

type Table = typeof messageRegisters
export type RegisterName = keyof Table
type Timed = { [F in RegisterName]: Table[F] extends { at: infer At } ? At : never }[RegisterName]
/** A register's value or its time. */
export type RegisterField = RegisterName | Timed

/** Says which message it is; a deletion leaves it. */
export const fixedFields = [
  '_id',
  'peerId',
  'senderId',
  'recipientId',
  'type',
  'createdAt',
  'orderedAt',
] as const satisfies readonly MessageField[]
type FixedField = (typeof fixedFields)[number]

/**
 * The rest goes as one: of two versions that of the later attempt, or of the higher status within
 * it, wins whole. `goes`: with a deletion. `own`: goes too, and the other person never gets it.
 */
export const outcomeFields = {
  status: 'stays',
  attempt: 'stays',
  isWhatsApp: 'stays',
  providerVersion: 'stays',
  replyTo: 'goes',
  mediaUrl: 'goes',
  file: 'goes',
  link: 'goes',
  mentionedIds: 'goes',
  error: 'own',
  errorCode: 'own',
  interactive: 'goes',
  location: 'goes',
  contacts: 'goes',
  template: 'goes',
  media: 'goes',
  whatsapp_message_id: 'goes',
  whatsapp_timestamp: 'goes',
  from_phone: 'goes',
  to_phone: 'goes',
  senderName: 'goes',
  button: 'goes',
  list_reply: 'goes',
  waState: 'goes',
  isSticker: 'goes',
  isVoice: 'goes',
  isForwarded: 'goes',
  isSystem: 'goes',
  sentFrom: 'goes',
} as const satisfies Record<
  Exclude<MessageField, RegisterField | FixedField>,
  'stays' | 'goes' | 'own'
>

/** A row with its name, and with all its fields: the value and the time. */
export interface Register extends Columns {
  field: RegisterName
  at: Timed | undefined
  merge: Merge
  blank: unknown
  fields: readonly RegisterField[]
}

export const registers: readonly Register[] = Object.entries(messageRegisters).map(
  ([name, row]) => {
    const field = name as RegisterName
    const at = 'at' in row ? row.at : undefined
    const fields = at === undefined || at === field ? [field] : [field, at]
    return { ...row, field, at, fields, blank: 'blank' in row ? row.blank : undefined }
  },
)

/** What both people change, in one value that both have. */
export const jointRegisters = registers.filter(
  ({ by, copy }) => copy === 'shared' && (by === 'either' || by === 'each'),
)

/** What the author changes for both. */
export const authorRegisters = registers.filter(
  ({ by, copy }) => copy === 'shared' && by === 'author',
)

/** What each person has in their own copy only. */
export const ownRegisters = registers.filter(({ by, copy }) => copy === 'own' && by !== 'server')

export function fieldsOf(some: readonly Register[]): RegisterField[] {
  return some.flatMap(({ fields }) => fields)
}

/** May a message lack this field? */
export function isOptional(field: MessageField): boolean {
  return messageDocument.shape[field] instanceof z.ZodMiniOptional
}
