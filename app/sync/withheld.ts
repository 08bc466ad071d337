import { blankDeleted } from '../../schema/blank-deleted.ts'
import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import type { ConversationRow } from '../database/views/conversation-row.ts'
import type { LiveValue } from '../database/views/live-value.ts'
import type { ConversationView, MessageWindow } from '../database/views/message-window.ts'
import type { SiftedView } from '../database/views/sifted-window.ts'

/** Changes shown as done but not yet written: they can still be undone. */
export interface Withheld {
  /** When each message was deleted, epoch ms, by its id. */
  deleted: ReadonlyMap<string, number>
  /** How far each conversation was cleared, by the other person's id. */
  cleared: ReadonlyMap<string, number>
}

/** The same values with withheld changes applied, for the screens. */
export function createMask(withheld: LiveValue<Withheld>) {
  const blanked = new WeakMap<MessageDocument, MessageDocument>()
  const values = new WeakMap<object, LiveValue<MessageDocument | null | undefined>>()

  function isCleared({ peerId, orderedAt }: MessageDocument, { cleared }: Withheld): boolean {
    return orderedAt <= (cleared.get(peerId) ?? 0)
  }

  function maskMessage(message: MessageDocument, { deleted }: Withheld): MessageDocument {
    const deletedAt = deleted.get(message._id)
    if (deletedAt === undefined || message.deletedAt !== undefined) return message
    const before = blanked.get(message)
    if (before) return before
    const blank = blankDeleted({ ...message, deletedAt })
    blanked.set(message, blank)
    return blank
  }

  function isShown(message: MessageDocument, now: Withheld): boolean {
    return !isCleared(message, now) && (isAccepted(message) || !now.deleted.has(message._id))
  }

  function keepShown(messages: readonly MessageDocument[], now: Withheld) {
    return keepSame(
      messages,
      messages.filter((each) => !now.deleted.has(each._id) && !isCleared(each, now)),
    )
  }

  function maskWindow(window: MessageWindow, now: Withheld): MessageWindow {
    const { items } = window
    if (!items.some((item) => now.deleted.has(item._id) || isCleared(item, now))) return window
    const shown = items.filter((item) => isShown(item, now))
    const isCut = items.some((item) => isCleared(item, now))
    return {
      ...window,
      items: shown.map((item) => maskMessage(item, now)),
      hasOlder: window.hasOlder && !isCut,
    }
  }

  function maskRow(row: ConversationRow, now: Withheld): ConversationRow {
    const message = row.lastMessage
    const masked = message && maskMessage(message, now)
    return masked === message ? row : { ...row, ...(masked && { lastMessage: masked }) }
  }

  function isRowShown({ lastMessage }: ConversationRow, now: Withheld): boolean {
    return !lastMessage || !isCleared(lastMessage, now)
  }

  return {
    rows: (source: LiveValue<readonly ConversationRow[]>) =>
      mapLive(source, withheld, (rows, now) =>
        keepSame(
          rows,
          rows.filter((row) => isRowShown(row, now)).map((row) => maskRow(row, now)),
        ),
      ),
    view: (view: ConversationView): ConversationView => ({
      ...view,
      messages: mapLive(view.messages, withheld, maskWindow),
    }),
    sifted: (view: SiftedView): SiftedView => ({
      ...view,
      found: mapLive(view.found, withheld, (window, now) => {
        const shown = keepShown(window.items, now)
        return shown === window.items ? window : { ...window, items: shown }
      }),
    }),
    message(source: LiveValue<MessageDocument | null | undefined>) {
      const before = values.get(source)
      if (before) return before
      const value = mapLive(
        source,
        withheld,
        (message, now) => message && maskMessage(message, now),
      )
      values.set(source, value)
      return value
    },
    messages: (source: LiveValue<readonly MessageDocument[] | undefined>) =>
      mapLive(source, withheld, (messages, now) => messages && keepShown(messages, now)),
  }
}

function keepSame<T>(before: readonly T[], now: readonly T[]): readonly T[] {
  const isSame = before.length === now.length && before.every((each, at) => each === now[at])
  return isSame ? before : now
}

function mapLive<From, With, To>(
  source: LiveValue<From>,
  beside: LiveValue<With>,
  map: (value: From, other: With) => To,
): LiveValue<To> {
  let last: { value: From; other: With; result: To } | undefined
  return {
    getSnapshot() {
      const [value, other] = [source.getSnapshot(), beside.getSnapshot()]
      if (!last || last.value !== value || last.other !== other) {
        last = { value, other, result: map(value, other) }
      }
      return last.result
    },
    subscribe(listener) {
      const stops = [source.subscribe(listener), beside.subscribe(listener)]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
