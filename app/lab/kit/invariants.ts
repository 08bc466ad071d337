/** What a device held, by id. */
export type Held = Readonly<Record<string, unknown>>

/** A change that an action made on its device, as `read()` showed it before and after. */
export interface Write {
  step: number
  device: string
  id: string
  /** Undefined: it was not there. */
  before: unknown
  /** Undefined: the action removed it. */
  after: unknown
}

/** One look at all devices, after a step. */
export interface Look {
  step: number
  held: ReadonlyMap<string, Held>
}

/** All that was seen of a history. The last look is after everything has settled. */
export interface Story {
  writes: readonly Write[]
  looks: readonly Look[]
}

/** @returns what is broken, in words */
export type Invariant = (story: Story) => readonly string[]

const inWords = (value: unknown) => JSON.stringify(value) ?? 'nothing'
const isEqual = (one: unknown, other: unknown) => canon(one) === canon(other)

/** The same text for the same value, whatever the order of its fields. */
function canon(value: unknown): string {
  return inWords(
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

function lastLook({ looks }: Story): ReadonlyMap<string, Held> {
  return looks.at(-1)?.held ?? new Map()
}

/** In the end every device holds the same. */
export const allEqual: Invariant = (story) => {
  const held = lastLook(story)
  const ids = new Set([...held.values()].flatMap((each) => Object.keys(each)))
  return [...ids].sort().flatMap((id) => {
    const versions = [...held].map(([device, each]) => ({ device, value: each[id] }))
    const [first] = versions
    if (versions.every(({ value }) => isEqual(value, first?.value))) return []
    const told = versions.map(({ device, value }) => `${device} has ${inWords(value)}`)
    return [`${id} differs: ${told.join(', ')}`]
  })
}

/** What somebody wrote is in the end on every device, unless somebody removed it. */
export const nothingLost: Invariant = (story) => {
  const removed = new Set(story.writes.flatMap(({ id, after }) => (after === undefined ? id : [])))
  const written = new Map(story.writes.map((write) => [write.id, write]))
  return [...written.values()].flatMap(({ id, device }) => {
    if (removed.has(id)) return []
    const lacking = [...lastLook(story)].flatMap(([each, held]) => (id in held ? [] : [each]))
    return lacking.length === 0
      ? []
      : [`${id}, written on ${device}, is lost on ${lacking.join(' and ')}`]
  })
}

/**
 * No two documents of a device are the same one.
 * @param keyOf what makes them the same; documents without a key may be alike
 */
export function nothingTwice(keyOf: (value: never, id: string) => unknown): Invariant {
  return (story) =>
    [...lastLook(story)].flatMap(([device, held]) => {
      const byKey = groupBy(Object.keys(held), (id) => canon(keyOf(held[id] as never, id)))
      return [...byKey].flatMap(([key, ids]) =>
        ids.length > 1 && key !== 'nothing' ? [`${key} is ${ids.length} times on ${device}`] : [],
      )
    })
}

function groupBy(ids: readonly string[], keyOf: (id: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const id of ids) groups.set(keyOf(id), [...(groups.get(keyOf(id)) ?? []), id])
  return groups
}

/** Each write as changes of single fields; a value that is no object is one field. */
function listFields({ writes }: Story) {
  return writes.flatMap(({ id, device, step, before, after }) => {
    if (before === undefined || after === undefined) return []
    if (!isObject(before) || !isObject(after))
      return [{ id, device, step, field: '', before, after }]
    const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return fields.flatMap((field) =>
      isEqual(before[field], after[field])
        ? []
        : [{ id, device, step, field, before: before[field], after: after[field] }],
    )
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const readField = (value: unknown, field: string) =>
  field === '' || !isObject(value) ? value : value[field]

/**
 * A value that somebody has seen and changed does not stand in the end: the change would be lost.
 * Of two changes that did not know each other either may win.
 */
export const noUpdateLost: Invariant = (story) => {
  const changes = listFields(story)
  const removed = new Set(story.writes.flatMap(({ id, after }) => (after === undefined ? id : [])))
  return changes.flatMap(({ id, field, step, device, before, after }) => {
    if (removed.has(id)) return []
    const isWrittenAgain = changes.some(
      (later) =>
        later.id === id &&
        later.field === field &&
        later.step !== step &&
        later.step > step &&
        isEqual(later.after, before),
    )
    if (isWrittenAgain) return []
    const standing = [...lastLook(story)].flatMap(([each, held]) =>
      id in held && isEqual(readField(held[id], field), before) ? [each] : [],
    )
    if (standing.length === 0) return []
    const what = field === '' ? id : `${id}.${field}`
    return [
      `${device} changed ${what} from ${inWords(before)} to ${inWords(after)}, and it is ${inWords(before)} on ${standing.join(' and ')}`,
    ]
  })
}

/** A device that has shown a change never shows again what it was changed from. */
export const neverBackwards: Invariant = (story) => {
  const changes = listFields(story)
  return changes.flatMap(({ id, field, step, before, after }) => {
    const again = changes.some(
      (other) => other.id === id && other.field === field && isEqual(other.after, before),
    )
    if (again) return []
    const seen = new Set<string>()
    return story.looks.flatMap((look) =>
      [...look.held].flatMap(([device, held]) => {
        if (look.step < step || !(id in held)) return []
        const value = readField(held[id], field)
        if (isEqual(value, after)) seen.add(device)
        if (!seen.has(device) || !isEqual(value, before)) return []
        seen.delete(device)
        const what = field === '' ? id : `${id}.${field}`
        return [`${device} fell back from ${what} ${inWords(after)} to ${inWords(before)}`]
      }),
    )
  })
}
