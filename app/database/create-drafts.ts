import type { KeptTexts } from './kept-texts.ts'
import { createLiveValue, type LiveValue, type SettableLiveValue } from './live-value.ts'
import { type DeviceStore, type StoredDraft, subscribeToTable } from './open-device-store.ts'
import { readMirroredDrafts } from './read-mirrored-drafts.ts'

export interface Drafts {
  get(peerId: string): LiveValue<string>
  set(peerId: string, text: string): void
  /** The id of the message that the draft answers. */
  getReply(peerId: string): string | undefined
  setReply(peerId: string, replyTo: string | undefined): void
  close(): Promise<void>
}

/** What is typed within this goes into the database as one write: it is in the texts by then. */
const gatherMs = 250

/**
 * What is written and not yet sent, per conversation. Each text goes into `texts` (localStorage) at once and
 * then into the database: a lost database connection loses no word (P1).
 */
export async function createDrafts(options: {
  drafts: DeviceStore['drafts']
  userId: string
  texts?: KeptTexts
  now: () => number
  onError: (cause: unknown) => void
}): Promise<Drafts> {
  const { drafts, texts, now, onError } = options
  const keyOf = (peerId: string) => `petrel-draft-${options.userId}-${peerId}`
  const live = new Map<string, SettableLiveValue<string>>()
  const newest = new Map<string, StoredDraft>()
  const unwritten = new Set<string>()
  let writing = Promise.resolve()
  let timer: ReturnType<typeof setTimeout> | undefined

  function liveDraft(peerId: string) {
    const known = live.get(peerId)
    if (known) return known
    const value = createLiveValue(newest.get(peerId)?.text ?? '')
    live.set(peerId, value)
    return value
  }

  function take(draft: StoredDraft): boolean {
    const before = newest.get(draft._id)
    if (before && before.at >= draft.at) return false
    newest.set(draft._id, draft)
    liveDraft(draft._id).set(draft.text)
    return true
  }

  function store(peerId: string) {
    unwritten.add(peerId)
    if (texts) timer ??= setTimeout(writeDown, gatherMs)
    else writeDown()
  }

  function writeDown() {
    clearTimeout(timer)
    timer = undefined
    for (const peerId of unwritten) writing = writing.then(() => put(peerId)).catch(onError)
    unwritten.clear()
  }

  async function put(peerId: string) {
    const draft = newest.get(peerId)
    if (!draft) return
    await drafts.put({ ...draft })
    if (newest.get(peerId) === draft) texts?.removeItem(keyOf(peerId))
  }

  function change(peerId: string, part: Partial<Pick<StoredDraft, 'text' | 'replyTo'>>) {
    const before = newest.get(peerId)
    const at = Math.max(now(), (before?.at ?? 0) + 1)
    const draft = { text: '', ...before, ...part, _id: peerId, at }
    if (!take(draft)) return
    texts?.setItem(keyOf(peerId), JSON.stringify({ ...draft, _id: undefined }))
    store(peerId)
  }

  for (const draft of await drafts.toArray()) take(draft)
  const unsubscribe = subscribeToTable(drafts, {
    onRows: (rows) => rows.forEach(take),
    onError,
  })
  for (const draft of readMirroredDrafts(texts, keyOf(''))) {
    if (take(draft)) store(draft._id)
  }

  return {
    get: liveDraft,
    set(peerId, text) {
      if ((newest.get(peerId)?.text ?? '') !== text) change(peerId, { text })
    },
    getReply: (peerId) => newest.get(peerId)?.replyTo,
    setReply(peerId, replyTo) {
      if (newest.get(peerId)?.replyTo !== replyTo) change(peerId, { replyTo })
    },
    async close() {
      unsubscribe()
      writeDown()
      await writing
    },
  }
}
