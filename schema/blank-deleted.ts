import type { MessageDocument } from './message.ts'
import {
  fixedFields,
  isOptional,
  outcomeFields,
  type Register,
  registers,
} from './message-registers.ts'

type Field = keyof MessageDocument
type Blanks = ReadonlyMap<string, unknown>

const outcomes = Object.entries(outcomeFields) as [Field, 'stays' | 'goes' | 'own'][]
const staying: Field[] = [
  ...outcomes.flatMap(([field, left]) => (left === 'stays' ? [field] : [])),
  ...registers.flatMap(({ deletion, fields, at }) => {
    if (deletion === 'stays') return fields
    return deletion === 'blankAtItsTime' && at !== undefined ? [at] : []
  }),
]
/** Fields that every message has come first, as in all stored messages. */
const kept: readonly Field[] = [
  ...new Set([
    ...fixedFields,
    'deletedAt' as const,
    ...staying.filter((field) => !isOptional(field)),
    ...staying.filter(isOptional),
  ]),
]
const emptied = registers.filter(
  ({ field, deletion }) => deletion !== 'stays' && !isOptional(field),
)
const timesBlanked = emptied.flatMap(({ deletion, at }) =>
  deletion === 'blank' && at !== undefined && !isOptional(at) ? [at] : [],
)

/** Removes all content from a deleted message (P6, P8): no copy keeps deleted words. */
export function blankDeleted(message: MessageDocument): MessageDocument {
  if (message.deletedAt === undefined) return message
  const left: Record<string, unknown> = {}
  for (const field of kept) if (message[field] !== undefined) left[field] = message[field]
  for (const { field, blank } of emptied) left[field] = blank
  for (const at of timesBlanked) left[at] = 0
  return left as MessageDocument
}

/** As its owner sees it, who may have deleted it for themselves. */
export function withoutHidden(message: MessageDocument): MessageDocument {
  if (!message.isHidden) return message
  return blankDeleted({ ...message, deletedAt: message.deletedAt ?? message.isHiddenAt ?? 0 })
}

/** The outcome of a message that a deletion leaves. */
export const lastingOutcome: readonly Field[] = [
  ...fixedFields,
  ...outcomes.flatMap(([field, left]) => (left === 'stays' ? [field] : [])),
]

/** What the server tells the author alone about the outcome. */
export const ownOutcome: readonly Field[] = outcomes.flatMap(([field, left]) =>
  left === 'own' ? [field] : [],
)

/** What these registers' fields are in a message without them; undefined: absent. */
export function blanksOf(some: readonly Register[]): Map<string, unknown> {
  return new Map(
    some.flatMap(({ field, at, fields, blank }) =>
      fields.map((each) => [each, each === at && each !== field ? blankTime(at) : blank] as const),
    ),
  )
}

function blankTime(at: Field): number | undefined {
  return isOptional(at) ? undefined : 0
}

/** The message with other values in these fields, or without those whose value is undefined. */
export function blankFields(message: MessageDocument, blanks: Blanks): MessageDocument {
  const left: Record<string, unknown> = {}
  for (const field in message) {
    const value = blanks.has(field) ? blanks.get(field) : message[field as Field]
    if (value !== undefined) left[field] = value
  }
  return left as MessageDocument
}
