import * as z from 'zod/mini'
import { areValuesEqual } from '../../schema/helpers/equality.ts'
import { parseJson } from '../../schema/helpers/json.ts'
import {
  findNewerSettings,
  mergeSettings,
  nameProof,
  pickSettings,
  readProofs,
  readSettings,
  type Settings,
  type TimedSettings,
  timedSettings,
} from '../../schema/settings.ts'
import type { OwnUser } from '../../schema/user.ts'
import { ApiError } from '../api/api-error.ts'
import type { KeyValueStorage } from '../database/storage/key-value-storage.ts'
import {
  type DeviceStore,
  type StoredSetting,
  subscribeToTable,
} from '../database/storage/open-device-store.ts'
import { createLiveValue, type LiveValue } from '../database/views/live-value.ts'
import { settingsNoteKey, settingsTextKey } from './platform/own-texts.ts'
import type { Requests } from './requests/requests.ts'

const none: TimedSettings = { settings: {}, settingsAt: {} }

/** What a person has set, on all of their devices. */
export interface OwnSettings {
  /** With defaults for all that is not set. */
  values: LiveValue<Settings>
  /** Resolves once the device has stored it; it applies at once, and everywhere when it arrives. */
  set(change: Partial<Settings>): Promise<void>
  /** The proofs of people whose keys were compared, by their ids. */
  proofs: LiveValue<Readonly<Record<string, string>>>
  /** Undefined takes a proof away. As `set`. */
  setProof(userId: string, proof: string | undefined): Promise<void>
}

/**
 * The person's settings on this device: registers that merge with the server's whenever the device
 * connects. What the server lacks then is owed, whatever was sent before (P11).
 */
export async function createOwnSettings(options: {
  userId: string
  table: DeviceStore['settings']
  texts: KeyValueStorage | undefined
  findRequests: () => Pick<Requests, 'add' | 'entries'>
  /** Reads one's own record from the server. */
  readOwn: () => Promise<OwnUser>
  /** From the sign-in: what the server said before this device's first connection. */
  known: Partial<TimedSettings> | undefined
  now: () => number
  onError: (cause: unknown) => void
}) {
  const { userId, table, texts, findRequests, readOwn, known, now, onError } = options
  const values = createLiveValue(readSettings({}))
  const proofs = createLiveValue(readProofs({}))
  /** It reads when the line opens, in one tab only. */
  const state = { isLeader: false, isLineUp: false, isClosed: false }
  let shown: readonly StoredSetting[] = []
  /** Stored as a text already, so that a switch moves when it is pressed, and stays moved. */
  const note = createSettingsNote({ texts, userId })

  function publish() {
    const { settings } = mergeSettings(toTimed(shown), note.read())
    const next = readSettings(settings)
    if (!areValuesEqual(next, values.getSnapshot())) values.set(next)
    const nextProofs = readProofs(settings)
    if (!areValuesEqual(nextProofs, proofs.getSnapshot())) proofs.set(nextProofs)
    try {
      const text = JSON.stringify(settings)
      if (texts && texts.getItem(settingsTextKey) !== text) texts.setItem(settingsTextKey, text)
    } catch (cause) {
      onError(cause)
    }
  }

  function show(rows: readonly StoredSetting[]) {
    shown = rows
    publish()
  }

  /** Writes what this makes of the stored ones, and shows it before the database tells everyone. */
  async function change(build: (ours: TimedSettings) => TimedSettings): Promise<TimedSettings> {
    const { rows, changed } = await table.db.transaction('rw', table, async () => {
      const ours = toTimed(await table.toArray())
      const changed = build(ours)
      await table.bulkPut(toRows(changed))
      return { rows: await table.toArray(), changed }
    })
    if (!state.isClosed) show(rows)
    return changed
  }

  async function take(heard: TimedSettings) {
    await change((ours) => findNewerSettings(heard, ours))
  }

  /** Compares with the server, and offers what it lacks unless that waits or was refused already. */
  async function compare() {
    const { settings, settingsAt = {} } = await readOwn()
    const theirs = { settings, settingsAt }
    await take(theirs)
    const lacked = findNewerSettings(toTimed(await table.toArray()), theirs)
    const queued = new Set(
      findRequests()
        .entries.getSnapshot()
        .flatMap(({ request }) =>
          request.kind === 'settings' ? Object.keys(request.settings) : [],
        ),
    )
    const names = Object.keys(lacked.settings).filter((name) => !queued.has(name))
    if (names.length === 0 || state.isClosed) return
    await findRequests().add({ kind: 'settings', ...pickSettings(lacked, names) })
  }

  function update(changed: Partial<typeof state>) {
    const wasReady = state.isLeader && state.isLineUp
    Object.assign(state, changed)
    if (wasReady || !state.isLeader || !state.isLineUp) return
    compare().catch((cause: unknown) => {
      // Without an answer: the next connection asks again.
      if (!(cause instanceof ApiError) && !state.isClosed) onError(cause)
    })
  }

  /** What a page that was closed at once had noted, and not queued. */
  const left = note.readLeft()
  const rows = await table.toArray()
  const heard = mergeSettings(toFullSettings(known), toFullSettings(left))
  const newer = findNewerSettings(heard, toTimed(rows))
  if (Object.keys(newer.settings).length > 0) await take(newer)
  else show(rows)
  const unsubscribe = subscribeToTable(table, { onRows: show, onError })

  async function set(wanted: object) {
    const given = JSON.parse(JSON.stringify(wanted)) as TimedSettings['settings']
    /** Later than all that the person has seen, even if this clock is behind. */
    const laterThan = ({ settingsAt }: TimedSettings): TimedSettings => ({
      settings: given,
      settingsAt: Object.fromEntries(
        Object.keys(given).map((name) => [name, Math.max(now(), (settingsAt[name] ?? 0) + 1)]),
      ),
    })
    const forget = note.add(laterThan(mergeSettings(toTimed(shown), note.read())))
    publish()
    try {
      const changed = await change(laterThan)
      await findRequests().add({ kind: 'settings', ...changed })
    } finally {
      forget()
      if (!state.isClosed) publish()
    }
  }

  const settings: OwnSettings = {
    values,
    set,
    proofs,
    setProof: (userId, proof = '') => set({ [nameProof(userId)]: proof || null }),
  }
  return {
    settings,
    /** Queues what an earlier page had no time to queue. */
    async resume() {
      if (!left) return
      await findRequests().add({ kind: 'settings', ...left })
      note.forgetLeft()
    },
    /** Takes in what another device has changed. */
    take(heard: TimedSettings) {
      if (!state.isClosed) take(heard).catch(onError)
    },
    /**
     * Takes in the server's answer to what was sent; its times count, because those of a clock that
     * was ahead would win over all later changes here.
     */
    async takeAnswer(sent: Partial<TimedSettings>, answer: TimedSettings) {
      const { settings = {}, settingsAt = {} } = sent
      await change((ours) => {
        const unchanged = Object.keys(settings).filter(
          (name) =>
            ours.settingsAt[name] === settingsAt[name] &&
            areValuesEqual(ours.settings[name], settings[name]),
        )
        return mergeSettings(pickSettings(answer, unchanged), findNewerSettings(answer, ours))
      })
    },
    setLeader: (isLeader: boolean) => update({ isLeader }),
    setLineUp: (isLineUp: boolean) => update({ isLineUp }),
    close() {
      state.isClosed = true
      unsubscribe()
    },
  }
}

function toFullSettings({ settings = {}, settingsAt = {} }: Partial<TimedSettings> = {}) {
  return { settings, settingsAt }
}

function toTimed(rows: readonly StoredSetting[]): TimedSettings {
  return {
    settings: Object.fromEntries(rows.map(({ _id, value }) => [_id, value])),
    settingsAt: Object.fromEntries(rows.map(({ _id, at }) => [_id, at])),
  }
}

function toRows({ settings, settingsAt }: TimedSettings): StoredSetting[] {
  return Object.entries(settings).map(([_id, value]) => ({ _id, value, at: settingsAt[_id] ?? 0 }))
}

/**
 * Changes of settings that the database does not have yet, stored at once as a text: what the
 * screen shows is then on the device, however soon the page is closed.
 */
function createSettingsNote(options: { texts: KeyValueStorage | undefined; userId: string }) {
  const { texts } = options
  const key = settingsNoteKey(options.userId)
  const underWay = new Set<TimedSettings>()
  /** Shown only while it lies on the device. */
  let noted = none
  let left: { text: string; changes: TimedSettings } | undefined

  function write() {
    const all = [...underWay].reduce(mergeSettings, none)
    try {
      if (underWay.size > 0) texts?.setItem(key, JSON.stringify(all))
      else texts?.removeItem(key)
      noted = texts ? all : none
    } catch {
      noted = none
    }
  }

  return {
    read: () => noted,
    /** @returns what removes it again, once the database has it or refuses it */
    add(change: TimedSettings) {
      underWay.add(change)
      write()
      return () => {
        underWay.delete(change)
        write()
      }
    },
    /** What lies there from an earlier page. */
    readLeft(): TimedSettings | undefined {
      const text = texts?.getItem(key) ?? undefined
      if (text === undefined) return undefined
      const read = z.safeParse(timedSettings, parseJson(text))
      if (!read.success) return undefined
      left = { text, changes: read.data }
      return left.changes
    },
    /** A text that was written since has newer changes, or another tab's. */
    forgetLeft() {
      if (left && texts?.getItem(key) === left.text) texts.removeItem(key)
      left = undefined
    },
  }
}
