import * as z from 'zod/mini'
import { parseJson } from '../../../schema/helpers/json.ts'
import type { KeyValueStorage } from '../storage/key-value-storage.ts'
import {
  type DeviceStore,
  type DraftEdit,
  type StoredDraft,
  subscribeToTable,
} from '../storage/open-device-store.ts'
import { createLiveValue, type LiveValue, type SettableLiveValue } from '../views/live-value.ts'
import { type LeftDrafts, toLeftDrafts } from './left-drafts.ts'
import type { TabSlot } from './tab-slot.ts'

const mirroredDraft = z.object({
  text: z.string(),
  at: z.number(),
  replyTo: z.optional(z.string()),
  edit: z.optional(z.object({ messageId: z.string(), text: z.string() })),
  sending: z.optional(
    z.object({ messageId: z.string(), text: z.string(), replyTo: z.optional(z.string()) }),
  ),
})

export type Draft = Pick<StoredDraft, 'text' | 'replyTo' | 'edit'>

/** A message about to be stored. */
export interface Leaving {
  peerId: string
  messageId: string
  content: string
}

interface Origin {
  draft: StoredDraft
  /** Was its tab gone when the composer started from it? */
  wasFree: Promise<boolean>
  isLeft: boolean
}

export interface Drafts {
  /** What a list shows: this tab's draft, or else the newest of another tab. */
  get(peerId: string): LiveValue<string>
  /** A composer's initial draft; the composer continues it. */
  begin(peerId: string): Draft
  set(peerId: string, text: string): void
  setReply(peerId: string, replyTo: string | undefined): void
  setEdit(peerId: string, edit: DraftEdit | undefined): void
  /**
   * Names the message that a draft becomes.
   * @returns the note to store in that message's transaction; undefined when no draft becomes it
   */
  recordLeaving(leaving: Leaving): LeftDrafts | undefined
  /** The message is stored: the draft is now the text written after it. */
  recordSent(leaving: Leaving): void
  /** Why the text cannot be stored, in words; undefined when it can. */
  problem: LiveValue<string | undefined>
  /** The number of conversations with unsent text. */
  count(): number
  close(): Promise<void>
}

/** Batches typing within this time into one database write; localStorage already has it. */
const gatherMs = 250
/** A browser releases the lock of a tab within this time after it was closed. */
const closedMs = 500
/** Another tab stores a pending message within this time, or is gone. */
const settleMs = 1_000
/**
 * Longer than a message can be. All tabs share a few MB of localStorage, so it goes straight to the
 * database.
 */
const mirroredMaxCharacters = 100_000
const fullWords =
  "This device couldn't save your draft. Copy it before you leave, or free up some space."

/**
 * Unsent text per conversation and tab: a sending tab takes nothing from another. Each text goes
 * into `texts` (localStorage) immediately, then into the database: a lost connection loses no word
 * (P1). The rest of a sent draft is stored with its message: no crash leaves both or neither.
 */
export async function createDrafts(options: {
  drafts: DeviceStore['drafts']
  userId: string
  slot: TabSlot
  texts?: KeyValueStorage
  /** The remainders of drafts that became messages. */
  readLeft: () => Promise<readonly StoredDraft[]>
  /** Which of these messages are stored on the device? */
  findStored: (messageIds: readonly string[]) => Promise<ReadonlySet<string>>
  now: () => number
  onError: (cause: unknown) => void
}): Promise<Drafts> {
  const { drafts, texts, slot, now, onError } = options
  const keyOf = (id: string) => `petrel-draft-${options.userId}-${id}`
  const idOf = (peerId: string) => (slot.number === 0 ? peerId : `${peerId}/${slot.number}`)
  /** By person, then by id. */
  const rows = new Map<string, Map<string, StoredDraft>>()
  const live = new Map<string, SettableLiveValue<string>>()
  /** Another tab's draft from which a composer here started, and whether it was continued. */
  const origins = new Map<string, Origin>()
  const unwritten = new Set<string>()
  const problem = createLiveValue<string | undefined>(undefined)
  let writing = Promise.resolve()
  let timer: ReturnType<typeof setTimeout> | undefined
  let settling: ReturnType<typeof setTimeout> | undefined

  const ownOf = (peerId: string) => rows.get(peerId)?.get(idOf(peerId))

  /** What this tab's composer holds. */
  function current(peerId: string): StoredDraft | undefined {
    const origin = origins.get(peerId)
    return origin && !origin.isLeft ? origin.draft : ownOf(peerId)
  }

  function find(peerId: string): StoredDraft | undefined {
    const own = ownOf(peerId)
    if (own && hasWords(own)) return own
    const others = [...(rows.get(peerId)?.values() ?? [])].filter(hasWords)
    return others.sort((a, b) => b.at - a.at)[0]
  }

  function liveDraft(peerId: string) {
    const known = live.get(peerId)
    if (known) return known
    const value = createLiveValue(find(peerId)?.text ?? '')
    live.set(peerId, value)
    return value
  }

  function take(draft: StoredDraft): boolean {
    const peerId = readPeerId(draft._id)
    const ofPeer = rows.get(peerId) ?? new Map<string, StoredDraft>()
    rows.set(peerId, ofPeer)
    const before = ofPeer.get(draft._id)
    const isSettled = before?.at === draft.at && before.sending && !draft.sending
    if (before && before.at >= draft.at && !isSettled) return false
    ofPeer.set(draft._id, draft)
    live.get(peerId)?.set(find(peerId)?.text ?? '')
    return true
  }

  function store(peerId: string, isMirrored: boolean) {
    unwritten.add(peerId)
    if (isMirrored) timer ??= setTimeout(writeDown, gatherMs)
    else writeDown()
  }

  function writeDown() {
    clearTimeout(timer)
    timer = undefined
    for (const peerId of unwritten) {
      const draft = ownOf(peerId)
      if (draft) writing = writing.then(() => put(peerId, draft))
    }
    unwritten.clear()
  }

  /** Stays in localStorage until the database has it: only then there is nothing to report. */
  async function put(peerId: string, draft: StoredDraft) {
    // A newer one is about to replace it.
    if (ownOf(peerId) !== draft) return
    const key = keyOf(draft._id)
    try {
      await write(peerId, draft)
      if (ownOf(peerId) === draft) texts?.removeItem(key)
      problem.set(undefined)
    } catch (cause) {
      if (ownOf(peerId) === draft && !texts?.getItem(key)) problem.set(fullWords)
      onError(cause)
    }
  }

  async function write(peerId: string, draft: StoredDraft) {
    const origin = origins.get(peerId)
    const isOver =
      origin &&
      (await origin.wasFree) &&
      (await slot.whileFree(readSlot(origin.draft._id), async () => {
        await putNewer([draft, emptied(origin.draft)])
        take(emptied(origin.draft))
      }))
    if (isOver) origins.delete(peerId)
    else await putNewer([draft])
  }

  async function putNewer(changed: readonly StoredDraft[]) {
    await drafts.db.transaction('rw', drafts, async () => {
      const stored = await drafts.bulkGet(changed.map(({ _id }) => _id))
      await drafts.bulkPut(changed.filter((draft, at) => draft.at > (stored[at]?.at ?? -1)))
    })
  }

  function change(peerId: string, part: Partial<Omit<StoredDraft, '_id' | 'at'>>) {
    const before = current(peerId)
    const at = Math.max(now(), (ownOf(peerId)?.at ?? 0) + 1, (before?.at ?? 0) + 1)
    const draft = { text: '', ...before, ...part, _id: idOf(peerId), at }
    const origin = origins.get(peerId)
    if (origin) origin.isLeft = true
    if (take(draft)) store(peerId, mirror(draft))
  }

  function mirror(draft: StoredDraft): boolean {
    if (!texts) return false
    const key = keyOf(draft._id)
    try {
      const json = JSON.stringify({ ...draft, _id: undefined })
      if (json.length > mirroredMaxCharacters) texts.removeItem(key)
      else texts.setItem(key, json)
      return json.length <= mirroredMaxCharacters
    } catch {
      // localStorage is full or forbidden: the database has more room, so write there immediately.
      return false
    }
  }

  /** The same words in the originating tab are not another message. */
  function findSentOrigin(peerId: string, content: string): StoredDraft | undefined {
    const origin = origins.get(peerId)?.draft
    return origin && dropSent(content, origin.text.trim()) !== undefined ? origin : undefined
  }

  /**
   * Has this slot's tab closed, at the latest a moment ago? One that is free only later may be
   * reloading, and shows its words again.
   */
  async function isGone(number: number): Promise<boolean> {
    const state = { isFree: false }
    const setFree = async () => {
      state.isFree = true
    }
    await Promise.all([
      // A busy page may hear of a lock that was free all along after more time than this.
      slot.whileFree(number, setFree),
      slot.whenFree(number, setFree, AbortSignal.timeout(closedMs)),
    ])
    return state.isFree
  }

  /** After a crash: words that became a message are no longer a draft. */
  async function settle(found: readonly StoredDraft[]): Promise<StoredDraft[]> {
    const ids = found.flatMap(({ sending }) => (sending ? [sending.messageId] : []))
    if (ids.length === 0) return [...found]
    const stored = await options.findStored(ids)
    return found.map((draft) =>
      draft.sending && stored.has(draft.sending.messageId)
        ? withoutSent(draft, draft.sending.text)
        : draft,
    )
  }

  function onRows(stored: readonly StoredDraft[]) {
    stored.forEach(take)
    if (!stored.some(({ sending }) => sending)) return
    // The sending tab may have crashed without a report, so this tab checks a little later.
    clearTimeout(settling)
    settling = setTimeout(() => {
      settle(stored)
        .then((settled) => settled.forEach(take))
        .catch(onError)
    }, settleMs)
  }

  const mirrored = readMirroredDrafts(texts, keyOf(''))
  const newest = new Map<string, StoredDraft>()
  const [stored, left] = await Promise.all([drafts.toArray(), options.readLeft()])
  for (const draft of [...stored, ...mirrored, ...left]) {
    if ((newest.get(draft._id)?.at ?? -1) < draft.at) newest.set(draft._id, draft)
  }
  for (const draft of await settle([...newest.values()])) take(draft)
  const unstored = left.filter((draft) => newest.get(draft._id) === draft)
  for (const draft of [...mirrored, ...unstored]) {
    const peerId = readPeerId(draft._id)
    if (draft._id === idOf(peerId)) store(peerId, true)
    else writing = writing.then(() => putNewer([draft])).catch(onError)
  }
  const unsubscribe = subscribeToTable(drafts, { onRows, onError })

  return {
    get: liveDraft,
    problem,
    begin(peerId) {
      const draft = find(peerId)
      if (draft && draft._id !== idOf(peerId)) {
        origins.set(peerId, { draft, wasFree: isGone(readSlot(draft._id)), isLeft: false })
      } else origins.delete(peerId)
      return { text: draft?.text ?? '', replyTo: draft?.replyTo, edit: draft?.edit }
    },
    set(peerId, text) {
      const now = current(peerId)
      if ((now?.text ?? '') !== text) change(peerId, { text })
    },
    setReply(peerId, replyTo) {
      const now = current(peerId)
      if (now?.replyTo !== replyTo) change(peerId, { replyTo })
    },
    setEdit(peerId, edit) {
      const now = current(peerId)
      const isSame =
        now?.edit?.messageId === edit?.messageId && (now?.edit?.text ?? '') === (edit?.text ?? '')
      if (!isSame) change(peerId, { edit })
    },
    recordLeaving({ peerId, messageId, content }) {
      const draft = current(peerId)
      if (!draft || dropSent(draft.text, content) === undefined) return undefined
      const { replyTo } = draft
      change(peerId, { sending: { messageId, text: content, ...(replyTo && { replyTo }) } })
      const own = withoutSent(ownOf(peerId) ?? draft, content)
      const origin = findSentOrigin(peerId, content)
      return toLeftDrafts({ ...own, at: own.at + 1 }, origin ? [emptied(origin)] : [])
    },
    recordSent({ peerId, messageId, content }) {
      const own = ownOf(peerId)
      if (own?.sending?.messageId !== messageId) return
      const origin = findSentOrigin(peerId, content)
      origins.delete(peerId)
      const { text, replyTo, sending } = withoutSent(own, content)
      change(peerId, { text, replyTo, sending })
      if (origin) {
        take(emptied(origin))
        writing = writing.then(() => putNewer([emptied(origin)])).catch(onError)
      }
    },
    count: () => [...rows.values()].filter((each) => [...each.values()].some(hasWords)).length,
    async close() {
      unsubscribe()
      clearTimeout(settling)
      writeDown()
      await writing
    },
  }
}

function withoutSent(draft: StoredDraft, sent: string): StoredDraft {
  const text = dropSent(draft.text, sent) ?? draft.text
  // Another reply may have been chosen while this one was being stored.
  const isAnother = draft.sending !== undefined && draft.replyTo !== draft.sending.replyTo
  const replyTo = isAnother ? draft.replyTo : undefined
  return { ...draft, text, replyTo, sending: undefined }
}

function emptied({ _id, at }: StoredDraft): StoredDraft {
  return { _id, text: '', at: at + 1 }
}

function hasWords({ text, replyTo, edit }: StoredDraft): boolean {
  return text !== '' || replyTo !== undefined || edit !== undefined
}

function readPeerId(id: string): string {
  return id.split('/')[0] ?? id
}

function readSlot(id: string): number {
  return Number(id.split('/')[1] ?? 0)
}

/**
 * The rest of a text whose beginning became a message; undefined when the text does not begin with
 * it.
 */
export function dropSent(text: string, sent: string): string | undefined {
  const begun = text.trimStart()
  if (sent === '' || !begun.startsWith(sent)) return undefined
  const rest = begun.slice(sent.length)
  return rest.trim() === '' ? '' : rest
}

/** Drafts that did not reach the database: the entries of localStorage under `prefix`. */
function readMirroredDrafts(texts: KeyValueStorage | undefined, prefix: string): StoredDraft[] {
  const keys = Array.from({ length: texts?.length ?? 0 }, (_, index) => texts?.key(index))
  return keys.flatMap((key) => {
    if (!key?.startsWith(prefix)) return []
    const draft = mirroredDraft.safeParse(parseJson(texts?.getItem(key) ?? ''))
    return draft.success ? [{ _id: key.slice(prefix.length), ...draft.data }] : []
  })
}
