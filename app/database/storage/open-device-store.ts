import { Dexie, type EntityTable, liveQuery, type Table } from 'dexie'
import type { TimedSettings } from '../../../schema/settings.ts'
import type { KeyNote, StoredKeys } from './keyring.ts'
import type { KnownGroup, KnownPerson } from './known-peer.ts'
import type { StoredPeerKeys } from './peer-keys.ts'
import type { RequestEntry } from './queued-request.ts'

/** One tab's unsent text in one conversation. */
export interface StoredDraft {
  /** The other person's id; for further tabs with the tab's number appended: `<person>/1`. */
  _id: string
  text: string
  /** The id of the message that it answers. */
  replyTo?: string | undefined
  /** An unsaved edit of an own message. */
  edit?: DraftEdit | undefined
  /**
   * What the beginning of the text is about to become. Once that message is stored, those words are
   * no longer a draft.
   */
  sending?: { messageId: string; text: string; replyTo?: string | undefined } | undefined
  /** When it was written, epoch ms of this device: the later of two wins. */
  at: number
}

export interface DraftEdit {
  messageId: string
  text: string
}

/** `order` is assigned on insertion. */
type StoredRequest = RequestEntry & { order: number }

/** How far a collection is in sync, in the server's sequence. */
export interface StoredEpoch {
  /** The collection. */
  _id: string
  /** The server epoch of its checkpoints. */
  epoch: string
  /** It is not the first: the checkpoints have its name. */
  isRenewed: boolean
  /** The version of the protocol that could parse nothing of what is still hidden. */
  parsedBy?: number
  /** Behind the place of each group in the checkpoint: how far nothing lay for this person. */
  passed?: Readonly<Record<string, { from?: string | number | undefined; to: string | number }>>
}

/** A change shown as done that can still be undone. */
export type WithheldChange =
  | { kind: 'delete'; messageId: string }
  | { kind: 'clear'; peerId: string; upTo: number }

export interface StoredWithheld {
  _id: string
  /** The number of the tab that writes it when its time is up. */
  slot: number
  /** Epoch ms. */
  at: number
  change: WithheldChange
}

/** The messages of one conversation that came before a catch-up had brought those before them. */
export interface ConversationAhead {
  /** The other person's id. */
  _id: string
  messages: { _id: string; orderedAt: number }[]
  /** Up to this place of the other person's the device lacked nothing before; 0 for nowhere. */
  heldUpTo: number
  /** How far the person has read in these; 0 for not yet. */
  readUpTo: number
}

/** One setting as this device knows it. */
export interface StoredSetting {
  /** Its name. */
  _id: string
  value: TimedSettings['settings'][string]
  /** When it was set, epoch ms; 0 when unknown. */
  at: number
}

/** This person's part of a message with a secret of a group: what opens a pushed message without the app. */
export interface StoredGroupBox {
  /** The message. */
  _id: string
  groupId: string
  makerId: string
  orderedAt: number
  v: number
  /** The secret's. */
  name: string
  box: string
}

/** The device's local, never replicated data: last known people and groups, drafts, and waiting requests. */
export interface DeviceStore {
  people: EntityTable<KnownPerson, '_id'>
  groups: EntityTable<KnownGroup, '_id'>
  drafts: EntityTable<StoredDraft, '_id'>
  requests: EntityTable<StoredRequest, 'order'>
  epochs: EntityTable<StoredEpoch, '_id'>
  withheld: EntityTable<StoredWithheld, '_id'>
  ahead: EntityTable<ConversationAhead, '_id'>
  settings: EntityTable<StoredSetting, '_id'>
  keyring: EntityTable<StoredKeys, '_id'>
  keyNotes: Table<KeyNote, string>
  peerKeys: EntityTable<StoredPeerKeys, '_id'>
  groupBoxes: EntityTable<StoredGroupBox, '_id'>
  close(): void
  /** Closes it and deletes all of it from the device. */
  remove(): Promise<void>
}

export async function openDeviceStore(options: {
  name: string
  indexedDB?: IDBFactory
  IDBKeyRange?: typeof globalThis.IDBKeyRange
}): Promise<DeviceStore> {
  const { name, indexedDB, IDBKeyRange } = options
  const dexie = new Dexie(`${name}-device`, {
    ...(indexedDB && { indexedDB }),
    ...(IDBKeyRange && { IDBKeyRange }),
  }) as Dexie & Omit<DeviceStore, 'close' | 'remove'>
  // Dexie's live queries need an IndexedDB beside the one given to each database.
  if (indexedDB) Dexie.dependencies.indexedDB ??= indexedDB
  dexie.version(9).stores({
    people: '_id',
    groups: '_id',
    drafts: '_id',
    requests: '++order, &_id, resource',
    epochs: '_id',
    withheld: '_id',
    ahead: '_id',
    settings: '_id',
    keyring: '_id',
    keyNotes: '_id',
    peerKeys: '_id',
    groupBoxes: '_id, groupId',
  })
  await dexie.open()
  return {
    people: dexie.people,
    groups: dexie.groups,
    drafts: dexie.drafts,
    requests: dexie.requests,
    epochs: dexie.epochs,
    withheld: dexie.withheld,
    ahead: dexie.ahead,
    settings: dexie.settings,
    keyring: dexie.keyring,
    keyNotes: dexie.keyNotes,
    peerKeys: dexie.peerKeys,
    groupBoxes: dexie.groupBoxes,
    close: () => dexie.close(),
    remove: () => dexie.delete(),
  }
}

/** Calls back with all rows of a table, now and after every write by any tab, until stopped. */
export function subscribeToTable<T, Key extends keyof T>(
  table: EntityTable<T, Key>,
  listeners: { onRows: (rows: T[]) => void; onError: (cause: unknown) => void },
): () => void {
  const subscription = liveQuery(() => table.toArray()).subscribe({
    next: listeners.onRows,
    error: listeners.onError,
  })
  return () => subscription.unsubscribe()
}
